//! Questions as forms of the client. A form has flat fields only, so a schema that is not flat becomes a field for text.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    ElicitationContentValue, ElicitationPropertySchema, ElicitationSchema, StringPropertySchema,
};
use onionskin_core::question::{Answer, AnswerError, Question};
use serde::Serialize;
use serde_json::{Map, Value};

/// The field of a form for an answer that is not an object.
const FIELD: &str = "answer";

/// The types of fields.
const TYPES: [&str; 5] = ["string", "number", "integer", "boolean", "array"];

/// How the fields of a form are the answer.
#[derive(Clone, Copy)]
enum Form {
    /// They are its fields.
    Object,
    /// The only one is the answer.
    Value,
    /// The only one has what a person writes at a terminal.
    Text,
}

/// A question, and its form.
pub(crate) struct QuestionForm<'q> {
    question: &'q Question,
    form: Form,
    pub(crate) schema: ElicitationSchema,
}

impl<'q> QuestionForm<'q> {
    pub(crate) fn new(question: &'q Question) -> Self {
        let schema = question.answer_schema();
        let (form, schema) = if let Some(schema) = object(schema) {
            (Form::Object, schema)
        } else if let Some(field) = field(schema) {
            (Form::Value, ElicitationSchema::new().property(FIELD, field, true))
        } else {
            let text = StringPropertySchema::new().description(question.dialogue().hint());
            (Form::Text, ElicitationSchema::new().property(FIELD, text, true))
        };
        Self { question, form, schema }
    }

    /// Reads what a person has filled in.
    ///
    /// # Errors
    /// Returns an error if it does not fit the question.
    pub(crate) fn read(
        &self,
        mut fields: BTreeMap<String, ElicitationContentValue>,
    ) -> Result<Answer, AnswerError> {
        let answer = match self.form {
            Form::Object => Answer::Value(json(&fields)),
            Form::Value => Answer::Value(fields.remove(FIELD).as_ref().map(json).unwrap_or_default()),
            Form::Text => {
                let text = fields.remove(FIELD).as_ref().map(json).unwrap_or_default();
                let line = text.as_str().unwrap_or_default();
                return Ok(self.question.dialogue().read(line)?.unwrap_or(Answer::Declined(None)));
            }
        };
        self.question.check(&answer)?;
        Ok(answer)
    }
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The fields of an object, if all of them are flat.
fn object(schema: &Value) -> Option<ElicitationSchema> {
    let fields = schema.get("properties")?.as_object().filter(|_| schema["type"] == "object")?;
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|required| required.iter().any(|other| other == name));
    fields.iter().try_fold(ElicitationSchema::new(), |form, (name, of_field)| {
        Some(form.property(name, field(of_field)?, is_required(name)))
    })
}

/// The schema as that of a flat field.
fn field(schema: &Value) -> Option<ElicitationPropertySchema> {
    let mut schema = schema.as_object()?.clone();
    // A form has no null: the field is left out.
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    let choices = schema.get("enum").and_then(Value::as_array);
    let are_texts = choices.is_none_or(|choices| choices.iter().all(Value::is_string));
    if choices.is_some() && are_texts {
        schema.entry("type").or_insert_with(|| "string".into());
    }
    if schema.get("type").is_some_and(|name| name == "array") && !has_text_choices(&schema) {
        return None;
    }
    let is_known = schema.get("type").and_then(Value::as_str).is_some_and(|name| TYPES.contains(&name));
    if !is_known || !are_texts {
        return None;
    }
    match serde_json::from_value(schema.into()) {
        Ok(ElicitationPropertySchema::Other(_)) | Err(_) => None,
        Ok(field) => Some(field),
    }
}

/// Whether the items of a list are a choice of texts.
fn has_text_choices(list: &Map<String, Value>) -> bool {
    let choices = list.get("items").and_then(|items| items.get("enum")?.as_array());
    choices.is_some_and(|choices| choices.iter().all(Value::is_string))
}
