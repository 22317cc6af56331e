//! The input of a run, by the schema in the document. An agent accepts more from models: a text for a number, or null for a default.

use std::borrow::Cow;

use onionskin_core::run::RunRequest;
use onionskin_core::{AgentHandle, Args, ToolDefinition, ToolError, ToolOutput, schema};
use serde_json::{Value, json};

/// Prepares a run from the input of a request: a text, or the fields of a typed input.
///
/// # Errors
/// Returns an error that names each wrong field.
pub(super) fn call(agent: &AgentHandle, input: Value) -> Result<RunRequest<ToolOutput>, ToolError> {
    let mut arguments = if input.is_object() { input } else { json!({ "input": input }) };
    use_integers(&mut arguments);
    let mut definition = agent.definition();
    // As the paths have it.
    definition.name = agent.name().into();
    let schema = arguments_schema(&definition);
    let problems = schema::check(&arguments, &schema, &schema, "");
    if problems.is_empty() { agent.call(Args::from(arguments)) } else { Err(definition.refuse(&problems)) }
}

/// The schema of the input in a request.
pub(super) fn schema(definition: &ToolDefinition) -> Value {
    let arguments = arguments_schema(definition);
    match single_input(&arguments) {
        // A field of this name can be sent without its object.
        Some(input) => json!({ "anyOf": [input, arguments] }),
        None => arguments.into_owned(),
    }
}

/// The schema of the arguments of the agent. A text is not empty.
fn arguments_schema(definition: &ToolDefinition) -> Cow<'_, Value> {
    let mut schema = Cow::Borrowed(&*definition.input_schema);
    if single_input(&schema).is_some_and(|input| input["type"] == "string") {
        schema.to_mut()["properties"]["input"]["minLength"] = 1.into();
    }
    schema
}

/// The schema of the field `input`, if it is the only one.
fn single_input(arguments: &Value) -> Option<&Value> {
    let fields = arguments["properties"].as_object().filter(|fields| fields.len() == 1)?;
    fields.get("input")
}

/// Writes numbers without a fraction as integers. JSON Schema takes `2.0` for an integer, and Rust does not.
fn use_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(integer) = schema::exact_integer(number) {
                *value = integer;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(use_integers),
        Value::Object(fields) => fields.values_mut().for_each(use_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o6_a_float_without_a_fraction_is_an_integer() {
        let mut value = json!({ "a": [2.0, -0.0, 2.5, 1e300, 7, "2.0"] });
        use_integers(&mut value);
        assert_eq!(value.to_string(), r#"{"a":[2,0,2.5,1e+300,7,"2.0"]}"#);
    }
}
