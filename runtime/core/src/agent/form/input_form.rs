//! The type of an agent's input from parents.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json_form::{ARGUMENTS, JsonForm};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{ObjectSchema, ToolDefinition, object_schema};
use onionskin_definitions::schema::Problem;

/// A type that can be the input of an agent: the models of parents can write it as JSON.
///
/// A value that is not an object is the parameter `input` of the agent as a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of an agent",
    label = "a model cannot write this type",
    note = "the type of an input needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; it must be `Send` and borrow nothing"
)]
pub trait TypedInput: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> TypedInput for T {}

/// The type of an input, with its type erased.
pub(crate) struct InputForm(JsonForm);

impl InputForm {
    /// # Panics
    /// Panics if the type's `JsonSchema` does.
    pub(crate) fn new<T: TypedInput>() -> Self {
        let ObjectSchema { schema, is_wrapped, .. } = object_schema::<T>(INPUT);
        let tool = ToolDefinition::new(INPUT, "").with_input_schema(schema);
        let wrapped_in = is_wrapped.then_some(INPUT);
        Self(JsonForm::new::<T>(tool, wrapped_in, ARGUMENTS))
    }

    /// The schema of the agent as a tool.
    pub(in crate::agent) fn schema(&self) -> &Value {
        &self.0.tool.input_schema
    }

    /// Reads the arguments of a call as the input of the agent. Returns it as JSON.
    ///
    /// # Errors
    /// Returns all problems.
    pub(in crate::agent) fn read(&self, args: &Args) -> Result<String, Vec<Problem>> {
        self.0.read_object(args.clone())
    }

    /// Reads JSON of the type, which a hook changed, as the input of the agent.
    ///
    /// # Errors
    /// Returns all problems.
    pub(in crate::agent) fn read_text(&self, text: &str) -> Result<String, Vec<Problem>> {
        self.0.read_inner(text)
    }
}

/// The parameter of an agent as a tool.
const INPUT: &str = "input";
