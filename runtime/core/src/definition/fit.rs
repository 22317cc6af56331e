//! Compares arguments with a tool's schema, and brings them into its types, for code that does not decode them.

use serde_json::{Map, Value};

use super::definition::ToolDefinition;
use crate::args::Args;
use crate::schema::{Problem, check, coerce, fill_defaults};

impl ToolDefinition {
    /// Checks the arguments of a call against the schema, for a hand-written tool. Values are converted if nothing is
    /// lost: `"5"` is read as a number if the schema requires one.
    ///
    /// ```
    /// use onionskin::{Args, ToolDefinition};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    /// let tool = ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema);
    /// assert_eq!(tool.fit(&Args::from(r#"{"x": "41"}"#)).unwrap()["x"], 41);
    /// let problems = tool.fit(&Args::from("{}")).unwrap_err();
    /// assert!(tool.refuse(&problems).to_text().contains("missing; expected an integer"));
    /// ```
    ///
    /// # Errors
    /// Returns all problems.
    pub fn fit(&self, args: &Args) -> Result<Map<String, Value>, Vec<Problem>> {
        let object = args.as_object().map_err(|error| vec![Problem::root(error.to_string())])?;
        let schema = &*self.input_schema;
        let mut value = Value::Object(object.clone());
        let mut problems = check(&value, schema, schema, "");
        // `"5"` is converted to 5 as for functions, only if the schema requires it.
        if !problems.is_empty() && coerce(&mut value, schema, schema, &args.literals()) {
            problems = check(&value, schema, schema, "");
        }
        match value {
            Value::Object(object) if problems.is_empty() => Ok(object),
            _ => Err(problems),
        }
    }
}

/// Whether the arguments have keys that are not in the tool's schema, or a form that it does not show.
pub(crate) fn has_other_form(definition: &ToolDefinition, args: &Args) -> bool {
    let schema = &*definition.input_schema;
    args.as_object().is_ok_and(|object| {
        check(&Value::Object(object.clone()), schema, schema, "").iter().any(Problem::is_of_form)
    })
}

/// Converts arguments to a tool's types as decoding does, so that earlier readers see what the tool gets. Values that
/// cannot be converted without loss are unchanged: decoding refuses them.
pub(crate) fn bring_into_types(definition: &ToolDefinition, args: &mut Args) {
    let bound = args.detach_schema();
    let schema = &*definition.input_schema;
    if let Ok(object) = args.as_object() {
        let mut value = Value::Object(object.clone());
        let coerced = coerce(&mut value, schema, schema, &args.literals());
        if let Value::Object(mut read) = value
            && (fill_defaults(&mut read, bound.as_deref().unwrap_or(schema)) || coerced)
            && let Ok(object) = args.as_object_mut()
        {
            *object = read;
        }
    }
    if let Some(schema) = bound {
        args.attach_schema(&schema);
    }
}
