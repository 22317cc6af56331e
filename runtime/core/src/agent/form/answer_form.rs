//! The type of a run's answer: its schema for the model, and how the model's text is read.

use std::sync::{Arc, Mutex, Weak};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json_form::JsonForm;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::lock::lock;
use onionskin_definitions::schema::{Problem, problem_lines};
use onionskin_tools::model::{ResponseSchema, ToolDeclaration};

/// A type that can be an agent's answer: a model can write it as JSON.
///
/// A value that is not an object is requested as `{"result": ..}`, because providers accept only schemas of
/// objects. A key of a map is a text, a number or a variant without fields, as in all JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of an agent",
    label = "a model cannot write this type",
    note = "the type of an answer needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; it must be `Send` and borrow nothing"
)]
pub trait TypedAnswer: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> TypedAnswer for T {}

/// The tool whose call is the answer.
const TOOL: &str = "final_answer";

/// The type of an answer, with its type erased.
pub(crate) struct AnswerForm {
    schema: ResponseSchema,
    form: JsonForm,
    /// The tools of earlier requests with their answer tools.
    offered: Mutex<Vec<Offered>>,
}

/// The tools of a request, with and without the answer tool.
struct Offered {
    of: Weak<[ToolDeclaration]>,
    tool: AnswerTool,
}

/// The tools of a request, including the tool whose call is the answer.
#[derive(Clone)]
pub(in crate::agent) struct AnswerTool {
    /// Its name, which no other tool of the request has.
    pub(in crate::agent) name: Arc<str>,
    pub(in crate::agent) all: Arc<[ToolDeclaration]>,
}

impl AnswerForm {
    /// # Panics
    /// Panics if the type's `JsonSchema` does.
    pub(crate) fn new<T: TypedAnswer>() -> Self {
        let schema = ResponseSchema::from_type::<T>();
        let description = schema.description().unwrap_or("Your answer.");
        let text = format!("Ends your work with your answer: call it once, when you have it. {description}");
        let tool = ToolDefinition::new(TOOL, text).with_input_schema(schema.schema().clone());
        let wrapped_in = schema.is_wrapped().then_some(ResponseSchema::RESULT);
        Self { schema, form: JsonForm::new::<T>(tool, wrapped_in, "the answer"), offered: Mutex::default() }
    }

    /// The schema for the model.
    pub(in crate::agent) fn schema(&self) -> &ResponseSchema {
        &self.schema
    }

    /// The schema of the answer as a structured result.
    pub(in crate::agent) fn output_schema(&self) -> &Value {
        self.schema.schema()
    }

    /// The answer as JSON, from what a model wrote.
    ///
    /// # Errors
    /// Returns all problems, worded as for wrong arguments.
    pub(in crate::agent) fn read(&self, text: &str) -> Result<String, Vec<Problem>> {
        self.form.read(text)
    }

    /// As [`Self::read`], for the value of a tool, a hook or a loop: JSON of the type itself, or a string
    /// without quotes, as in results of tools.
    pub(in crate::agent) fn read_value(&self, text: &str) -> Result<String, Vec<Problem>> {
        self.form.read_inner(text).or_else(|problems| match self.form.wrapped_in {
            Some(_) => self.form.read_inner(&Value::from(text).to_string()).map_err(|_| problems),
            None => Err(problems),
        })
    }

    /// Adds the tool whose call is the answer to these tools.
    pub(in crate::agent) fn offered(&self, tools: &Arc<[ToolDeclaration]>) -> AnswerTool {
        let mut offered = lock(&self.offered);
        if let Some(known) = offered.iter().find(|known| std::ptr::eq(known.of.as_ptr(), Arc::as_ptr(tools)))
        {
            return known.tool.clone();
        }
        let is_taken = |name: &str| tools.iter().any(|tool| *tool.name == *name);
        let mut name = TOOL.to_owned();
        let mut number = 1_usize;
        while is_taken(&name) {
            number += 1;
            name = format!("{TOOL}_{number}");
        }
        let name: Arc<str> = name.into();
        let own = ToolDeclaration::new(Arc::clone(&name), &self.form.tool);
        // Servers append tools to the others, and what is before them stays.
        let all = [own].into_iter().chain(tools.iter().cloned()).collect();
        let tool = AnswerTool { name, all };
        offered.retain(|known| known.of.strong_count() > 0);
        offered.push(Offered { of: Arc::downgrade(tools), tool: tool.clone() });
        tool
    }

    /// The values of the answer, for a model that answers with a text that has them: one a line.
    pub(in crate::agent) fn values(&self) -> String {
        let properties = self.schema.schema()["properties"].as_object();
        let value = |(name, schema): (&String, &Value)| match schema["description"].as_str() {
            Some(description) => format!("- {name}: {description}"),
            None => format!("- {name}"),
        };
        properties.into_iter().flatten().map(value).collect::<Vec<_>>().join("\n")
    }

    /// The text for a model whose answer does not fit.
    pub(in crate::agent) fn refusal(&self, problems: &[Problem]) -> String {
        format!("Invalid answer of the type `{}`:\n- {}", self.schema.name(), problem_lines(problems))
    }
}
