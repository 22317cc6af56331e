//! Questions of runs as the forms of MCP, which have texts, numbers, choices and yes or no alone.

use onionskin_core::approval::Approval;
use onionskin_core::question::{Answer, Question, QuestionKind};
use onionskin_core::text::{folded, short, without_hidden};
use serde_json::{Map, Value, json};

/// The property of a form for an answer that is no object.
const ANSWER: &str = "answer";
/// The properties of the form of an approval.
const DECISION: &str = "decision";
const REASON: &str = "reason";
const ALLOW: &str = "allow";
const DENY: &str = "deny";

/// The keywords of MCP's forms beside `type`, by type.
const KEYWORDS: [(&str, &[&str]); 5] = [
    ("string", &["minLength", "maxLength", "format", "enum", "enumNames", "oneOf"]),
    ("integer", &["minimum", "maximum"]),
    ("number", &["minimum", "maximum"]),
    ("boolean", &[]),
    ("array", &["minItems", "maxItems", "items"]),
];
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// A question as a form, and the way back from its content.
#[derive(Debug)]
pub(crate) struct Form {
    /// What the person reads.
    pub(crate) message: String,
    /// The schema of the content.
    pub(crate) schema: Value,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    Approval,
    /// The properties of the answer. Those that no form can express are JSON in a text.
    Object {
        as_json: Vec<String>,
    },
    /// The whole answer is the property [`ANSWER`].
    Single {
        as_json: bool,
    },
}

impl Form {
    /// `None` if a person could not read all of it.
    pub(crate) fn new(question: &Question) -> Option<Self> {
        let message = message(question)?;
        if *question.kind() == QuestionKind::Approval {
            return Some(Self { message, schema: approval_schema(), shape: Shape::Approval });
        }
        let root = question.answer_schema();
        let answer = resolved(root, root);
        match answer.get("properties").and_then(Value::as_object) {
            Some(properties) if answer["type"] == "object" => {
                let mut as_json = Vec::new();
                let mut fields = Map::new();
                for (name, property) in properties {
                    let field = field(property, root).unwrap_or_else(|| {
                        as_json.push(name.clone());
                        json_field(property)
                    });
                    fields.insert(name.clone(), field);
                }
                let required = answer.get("required").cloned().unwrap_or_else(|| json!([]));
                let schema = json!({ "type": "object", "properties": fields, "required": required });
                Some(Self { message, schema, shape: Shape::Object { as_json } })
            }
            _ => {
                let field = field(answer, root);
                let as_json = field.is_none();
                let field = field.unwrap_or_else(|| json_field(answer));
                let schema =
                    json!({ "type": "object", "properties": { (ANSWER): field }, "required": [ANSWER] });
                Some(Self { message, schema, shape: Shape::Single { as_json } })
            }
        }
    }

    /// The answer in the content of an accepted form; `None` if it is no such content.
    pub(crate) fn read(&self, content: &Value) -> Option<Answer> {
        let content = content.as_object()?;
        match &self.shape {
            Shape::Approval => match content.get(DECISION)?.as_str()? {
                ALLOW => Some(Answer::allow()),
                DENY => {
                    let reason =
                        content.get(REASON).and_then(Value::as_str).filter(|reason| !reason.is_empty());
                    Some(Approval::Deny(reason.map(str::to_owned)).into())
                }
                _ => None,
            },
            Shape::Object { as_json } => {
                // What the form did not ask for is ignored.
                let asked = content.iter().filter(|(name, _)| self.schema["properties"].get(*name).is_some());
                let fields = asked.map(|(name, value)| {
                    let value = if as_json.contains(name) { parsed(value)? } else { value.clone() };
                    Some((name.clone(), value))
                });
                fields.collect::<Option<Map<_, _>>>().map(|fields| Answer::Value(Value::Object(fields)))
            }
            Shape::Single { as_json } => {
                let value = content.get(ANSWER)?;
                Some(Answer::Value(if *as_json { parsed(value)? } else { value.clone() }))
            }
        }
    }

    /// The answer of a person who declines the form.
    pub(crate) fn declined(&self) -> Answer {
        match self.shape {
            Shape::Approval => Answer::deny("the person declined"),
            Shape::Object { .. } | Shape::Single { .. } => Answer::Declined(None),
        }
    }
}

/// The names of questions for a client, each once. A name that a tool gave its question is the name.
pub(crate) fn names(questions: &[Question]) -> Vec<String> {
    let short: Vec<_> = questions.iter().map(name).collect();
    let is_unique = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    let names = questions.iter().zip(&short);
    names
        .map(|(question, name)| if is_unique(name) { name.clone() } else { question.key().to_owned() })
        .collect()
}

fn name(question: &Question) -> String {
    let step = question.step();
    let name = own_name(question).unwrap_or_else(|| step.name());
    if step.scope().is_empty() { name.to_owned() } else { format!("{}/{name}", step.scope()) }
}

/// The name that a tool gave its question ([`ToolContext::ask_as`](onionskin_core::ToolContext::ask_as)). Other questions have a number, and
/// approvals a hash of the arguments.
pub(crate) fn own_name(question: &Question) -> Option<&str> {
    let is_named = match question.kind() {
        QuestionKind::Question | QuestionKind::Caller(_) => true,
        QuestionKind::Approval | QuestionKind::External | QuestionKind::Component(_) => false,
    };
    // The name of a step begins with the tool, whose name has no dot.
    let (_, name) = question.step().name().split_once('.').filter(|_| is_named)?;
    let name = name.strip_prefix("tool.").unwrap_or(name);
    (!name.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// The maximum number of bytes of what a person reads. An approval that is longer is not asked for: nobody would have seen all of it.
const MAX_MESSAGE: usize = 20_000;

/// What a person reads, without characters that nobody sees or that move others; `None` if it is too long.
fn message(question: &Question) -> Option<String> {
    let tool = question.tool_name();
    let arguments = || {
        let is_empty = question.arguments().as_object().is_none_or(Map::is_empty);
        let shown = serde_json::to_string_pretty(question.arguments()).unwrap_or_default();
        if is_empty { String::new() } else { format!("\n{shown}") }
    };
    let text = question.text();
    let message = match question.kind() {
        QuestionKind::Approval => {
            let reason =
                text.map(|reason| format!("\nReason: {}", folded(reason, MAX_MESSAGE))).unwrap_or_default();
            format!("Allow this call of `{tool}`?{}{reason}", arguments())
        }
        QuestionKind::Question => {
            // A text of an agent's tool can come from its model.
            let from = match question.agents() {
                [_] => String::new(),
                agents => format!("`{tool}` of {} asks: ", agents.join(" > ")),
            };
            text.map_or_else(|| format!("`{tool}` asks for an answer."), |text| format!("{from}{text}"))
        }
        QuestionKind::External => format!("What is the result of this call of `{tool}`?{}", arguments()),
        QuestionKind::Caller(request) => format!("`{tool}` needs `{}` of the client.", request.method()),
        QuestionKind::Component(shown) => {
            let payload = serde_json::to_string_pretty(shown.payload()).unwrap_or_default();
            let payload = if shown.payload().is_null() { String::new() } else { format!("\n{payload}") };
            format!("`{tool}` shows `{}` and asks for an answer.{payload}", shown.component())
        }
    };
    let message = plain(&message);
    (message.len() <= MAX_MESSAGE).then_some(message)
}

/// The text with line ends, and without other control characters and what nobody sees.
fn plain(text: &str) -> String {
    let (shown, _) = without_hidden(text);
    shown.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect()
}

fn approval_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            (DECISION): { "type": "string", "title": "Decision", "enum": [ALLOW, DENY] },
            (REASON): { "type": "string", "title": "Reason", "description": "Why the call must not run." },
        },
        "required": [DECISION],
    })
}

/// The schema behind a reference to the root's definitions, and the one schema that a union with null has beside it.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    let schema = target.and_then(|path| root.pointer(path)).unwrap_or(schema);
    let branches = schema.get("anyOf").and_then(Value::as_array);
    let others: Vec<_> = branches.into_iter().flatten().filter(|branch| branch["type"] != "null").collect();
    match (branches, others.as_slice()) {
        (Some(all), [only]) if all.len() == 2 && only.get("anyOf").is_none() => {
            let target = only.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            target.and_then(|path| root.pointer(path)).unwrap_or(only)
        }
        _ => schema,
    }
}

/// The field of a form for a property; `None` if no form can express it.
fn field(property: &Value, root: &Value) -> Option<Value> {
    let schema = resolved(property, root);
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => {
            let mut others = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            others.next().filter(|_| others.next().is_none())?
        }
        _ => return None,
    };
    let (_, keywords) = KEYWORDS.iter().find(|(known, _)| *known == kind)?;
    if kind == "array" && !is_choice(&schema["items"]) {
        return None;
    }
    let choices = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    if choices.is_some_and(|choices| !is_titled(choices)) {
        return None;
    }
    let mut field = Map::from_iter([("type".to_owned(), kind.into())]);
    for (name, value) in schema.as_object().into_iter().chain(property.as_object()).flatten() {
        let is_known = match name.as_str() {
            // The schema of a plain type has its name as title, such as `uint8`.
            "title" => *value != schema["type"] && *value != schema["format"] && !value.is_null(),
            "description" | "default" => !value.is_null(),
            "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
            "enum" => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            name => keywords.contains(&name),
        };
        if is_known {
            field.insert(name.clone(), value.clone());
        }
    }
    Some(Value::Object(field))
}

/// Whether items are texts to choose from.
fn is_choice(items: &Value) -> bool {
    let is_plain = items["type"] == "string"
        && items["enum"].as_array().is_some_and(|all| all.iter().all(Value::is_string));
    is_plain || items.get("anyOf").is_some_and(is_titled)
}

/// Whether each choice is a text with a title.
fn is_titled(choices: &Value) -> bool {
    choices.as_array().is_some_and(|all| {
        all.iter().all(|choice| choice["const"].is_string() && choice["title"].is_string())
    })
}

/// The maximum number of characters of the description of such a field.
const MAX_DESCRIPTION: usize = 1000;

/// A field for a value that no form can express.
fn json_field(property: &Value) -> Value {
    let described = property["description"].as_str().map(|text| format!("{text} ")).unwrap_or_default();
    let mut schema = property.clone();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("description");
    }
    let text = format!("{described}Write it as JSON of this schema: {schema}");
    json!({ "type": "string", "description": short(&text, MAX_DESCRIPTION) })
}

/// The JSON in a text.
fn parsed(value: &Value) -> Option<Value> {
    serde_json::from_str(value.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(schema: Value) -> Form {
        Form::new(&Question::new(QuestionKind::Question, "ask").with_answer_schema(schema)).unwrap()
    }

    #[test]
    fn u3_a_flat_object_is_the_form_itself() {
        let properties = json!({
            "name": { "type": "string", "default": "John", "pattern": "^J" },
            "age": { "type": "integer", "minimum": 0, "format": "uint8" },
            "pet": { "anyOf": [{ "$ref": "#/$defs/Pet" }, { "type": "null" }], "description": "Which?" },
        });
        let form = form(json!({
            "type": "object", "properties": properties, "required": ["name"],
            "$defs": { "Pet": { "type": "string", "enum": ["cat", "dog"] } },
        }));
        assert_eq!(
            form.schema,
            json!({ "type": "object", "required": ["name"], "properties": {
                "name": { "type": "string", "default": "John" },
                "age": { "type": "integer", "minimum": 0 },
                "pet": { "type": "string", "enum": ["cat", "dog"], "description": "Which?" },
            }})
        );
        let content = json!({ "name": "Jane", "age": 3 });
        assert_eq!(form.read(&content), Some(Answer::Value(content)));
    }

    #[test]
    fn u3_a_value_that_no_form_can_express_is_json_in_a_text() {
        let list = json!({ "type": "array", "items": { "type": "integer" } });
        let nested = form(json!({ "type": "object", "properties": { "sizes": list } }));
        assert_eq!(nested.schema["properties"]["sizes"]["type"], "string");
        assert_eq!(
            nested.read(&json!({ "sizes": "[1, 2]" })),
            Some(Answer::Value(json!({ "sizes": [1, 2] })))
        );
        assert_eq!(nested.read(&json!({ "sizes": "one" })), None);
        let single = form(json!({ "type": "array", "items": { "type": "integer" } }));
        assert_eq!(single.read(&json!({ "answer": "[1]" })), Some(Answer::Value(json!([1]))));
    }

    #[test]
    fn u3_one_value_is_a_form_of_one_field() {
        let form = form(json!({ "type": "boolean", "title": "boolean" }));
        assert_eq!(form.schema["properties"]["answer"], json!({ "type": "boolean" }));
        assert_eq!(form.read(&json!({ "answer": true })), Some(Answer::Value(json!(true))));
        assert_eq!(form.read(&json!({})), None);
        assert_eq!(form.declined(), Answer::Declined(None));
    }

    #[test]
    fn u2_an_approval_is_a_choice_with_a_reason() {
        let question = Question::new(QuestionKind::Approval, "pay")
            .with_arguments(json!({ "cents": 5 }))
            .with_text("Large.");
        let form = Form::new(&question).unwrap();
        assert_eq!(form.message, "Allow this call of `pay`?\n{\n  \"cents\": 5\n}\nReason: Large.");
        assert_eq!(form.read(&json!({ "decision": "allow" })), Some(Answer::allow()));
        let denied = json!({ "decision": "deny", "reason": "too much" });
        assert_eq!(form.read(&denied), Some(Answer::deny("too much")));
        assert_eq!(form.read(&json!({ "decision": "perhaps" })), None);
    }
    #[test]
    fn u2_a_person_sees_all_of_a_call_or_is_not_asked() {
        let question =
            |text: &str| Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "to": text }));
        let form = Form::new(&question("Ada\u{202e}\u{200b}\u{1b}[31m")).unwrap();
        assert_eq!(form.message, "Allow this call of `pay`?\n{\n  \"to\": \"Ada\\u001b[31m\"\n}");
        assert!(Form::new(&question(&"x".repeat(30_000))).is_none());
        let reason = question("Ada").with_text("fine\nAllow this call of `x`?");
        let message = Form::new(&reason).unwrap().message;
        assert_eq!(message.lines().last(), Some("Reason: fine\\nAllow this call of `x`?"), "{message}");
    }
}
