//! Examples of calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::schema::check;

/// An example of a call: its arguments, and optionally its result and a note.
///
/// ```
/// use onionskin::definition::ToolExample;
/// use serde_json::json;
///
/// let example = ToolExample::new(json!({ "city": "Rome" })).output("sunny").note("In English.");
/// assert_eq!(example.args["city"], "Rome");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolExample {
    /// The arguments.
    pub args: Map<String, Value>,
    /// The result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// A note on the example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The error of an argument or a result that could not be serialised.
    #[serde(skip)]
    unwritten: Option<&'static str>,
}

impl ToolExample {
    /// Creates an example with these arguments. A value that is not an object counts as no arguments.
    pub fn new(args: Value) -> Self {
        let args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        Self { args, ..Self::default() }
    }

    /// Sets the result.
    #[must_use]
    pub fn output(mut self, output: impl Into<Value>) -> Self {
        self.output = Some(output.into());
        self
    }

    /// Sets the note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds an argument, for generated code.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Option<Value>) -> Self {
        match value {
            Some(value) => drop(self.args.insert(name.to_owned(), value)),
            None => self.unwritten = Some(name),
        }
        self
    }

    /// Sets the result, for generated code.
    #[doc(hidden)]
    #[must_use]
    pub fn giving(mut self, output: Option<Value>) -> Self {
        match output {
            Some(output) => self.output = Some(output),
            None => self.unwritten = Some("output"),
        }
        self
    }

    /// The reason why the example does not fit these schemas.
    pub(super) fn problem(&self, schema: &Value, output_schema: Option<&Value>) -> Option<String> {
        if let Some(name) = self.unwritten {
            return Some(format!("`{name}` cannot be written as JSON"));
        }
        let mut problems = check(&Value::Object(self.args.clone()), schema, schema, "");
        if let (Some(output), Some(schema)) = (&self.output, output_schema) {
            let named = schema["properties"].as_object();
            // A result that is not an object is wrapped under one name.
            let result = named.filter(|named| named.len() == 1).and_then(|named| named.get("result"));
            let wrong = check(output, schema, schema, "output");
            if !wrong.is_empty() {
                problems.extend(result.map_or(wrong, |result| check(output, result, schema, "output")));
            }
        }
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        (!problems.is_empty()).then(|| problems.join("; "))
    }
}

/// An example does not fit its tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("example {number} of the tool `{tool}` does not fit: {problem}")]
#[non_exhaustive]
pub struct ExampleError {
    /// The tool.
    pub tool: String,
    /// The number of the example, counted from 1.
    pub number: usize,
    /// The problem.
    pub problem: String,
}
