//! Examples of calls, for whoever has to make some.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ToolDefinition;
use crate::schema::check;

/// An example of a call: its arguments and, where they say something, what comes out and a note.
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
    /// What comes out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What is to be seen in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What could not be written as JSON.
    #[serde(skip)]
    unwritten: Option<&'static str>,
}

impl ToolExample {
    /// An example with these arguments; what is no object counts as no arguments.
    pub fn new(args: Value) -> Self {
        let args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        Self { args, ..Self::default() }
    }

    /// With what comes out.
    #[must_use]
    pub fn output(mut self, output: impl Into<Value>) -> Self {
        self.output = Some(output.into());
        self
    }

    /// With a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// With an argument as the macro writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Option<Value>) -> Self {
        match value {
            Some(value) => drop(self.args.insert(name.to_owned(), value)),
            None => self.unwritten = Some(name),
        }
        self
    }

    /// With what comes out as the macro writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn giving(mut self, output: Option<Value>) -> Self {
        match output {
            Some(output) => self.output = Some(output),
            None => self.unwritten = Some("output"),
        }
        self
    }

    fn problem(&self, tool: &ToolDefinition) -> Option<String> {
        if let Some(name) = self.unwritten {
            return Some(format!("`{name}` cannot be written as JSON"));
        }
        let schema = &tool.input_schema;
        let mut problems = check(&Value::Object(self.args.clone()), schema, schema, "");
        if let (Some(output), Some(schema)) = (&self.output, &tool.output_schema) {
            let named = schema["properties"].as_object();
            // A result that is no object stands under one name.
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

/// An example of a tool does not fit it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("example {number} of the tool `{tool}` does not fit: {problem}")]
pub struct ExampleError {
    /// The tool.
    pub tool: String,
    /// Which one, counted from 1.
    pub number: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl ToolDefinition {
    /// Holds the examples against the schemas. Building an agent does it, and so does exporting.
    ///
    /// # Errors
    /// The first one that does not fit, and all that is wrong with it.
    pub fn check_examples(&self) -> Result<(), ExampleError> {
        let wrong = |(at, example): (usize, &ToolExample)| Some((at + 1, example.problem(self)?));
        match self.examples.iter().enumerate().find_map(wrong) {
            Some((number, problem)) => Err(ExampleError { tool: self.name.to_string(), number, problem }),
            None => Ok(()),
        }
    }

    /// The arguments of the examples, for forms that take them; none if one of them does not fit.
    pub(crate) fn fitting_examples(&self) -> &[ToolExample] {
        if self.check_examples().is_ok() { &self.examples } else { &[] }
    }
}
