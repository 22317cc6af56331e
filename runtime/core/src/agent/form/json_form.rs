//! The JSON form of a type: its schema, and how a text is read. Inputs and answers of agents have such forms.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::json::with_digits;
use onionskin_definitions::schema::{Problem, halves, reason_of};

/// The name of an agent's input in errors: a model writes it as the arguments of a call.
pub(super) const ARGUMENTS: &str = "the arguments";

/// A type as JSON, with its type erased.
pub(super) struct JsonForm {
    /// The tool whose arguments have this type; texts are read as its arguments.
    pub(super) tool: ToolDefinition,
    /// The property that holds the value, if it is not an object itself.
    pub(super) wrapped_in: Option<&'static str>,
    reads: fn(&str) -> Result<(), serde_json::Error>,
    /// The name of the value in errors.
    called: &'static str,
}

impl JsonForm {
    /// The form of a type that is the input of this tool.
    pub(super) fn new<T: DeserializeOwned>(
        tool: ToolDefinition,
        wrapped_in: Option<&'static str>,
        called: &'static str,
    ) -> Self {
        Self { tool, wrapped_in, reads: |text| serde_json::from_str::<T>(text).map(drop), called }
    }

    /// Reads a text of a model. Returns the value as JSON.
    ///
    /// # Errors
    /// Returns all problems, worded as for wrong arguments.
    pub(super) fn read(&self, text: &str) -> Result<String, Vec<Problem>> {
        let read = self.read_object(Args::from(text));
        match self.wrapped_in {
            // Models sometimes omit the wrapping object.
            Some(name) if read.is_err() => self.read_within(name, text).or(read),
            _ => read,
        }
    }

    /// As [`Self::read`], for JSON of the type itself, without the wrapping object.
    pub(super) fn read_inner(&self, text: &str) -> Result<String, Vec<Problem>> {
        match self.wrapped_in {
            Some(name) => self.read_within(name, text),
            None => self.read_object(Args::from(text)),
        }
    }

    fn read_within(&self, name: &str, text: &str) -> Result<String, Vec<Problem>> {
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(IgnoredAny) => self.read_object(Args::from(format!("{{\"{name}\":{text}}}"))),
            Err(error) => Err(vec![Problem::root(format!("it is not JSON: {error}"))]),
        }
    }

    /// As [`Self::read`], for an object.
    pub(super) fn read_object(&self, mut args: Args) -> Result<String, Vec<Problem>> {
        args.as_object().map_err(|error| vec![Problem::root(error.about(self.called))])?;
        let object = self.tool.fit(&args).map_err(|problems| self.in_its_words(problems))?;
        let halves = self.halves(&object);
        if !halves.is_empty() {
            return Err(halves);
        }
        let has_changed = args.as_object().is_ok_and(|read| *read != object);
        // A repaired text is serialised again too.
        let is_plain = serde_json::from_str::<IgnoredAny>(&args.text()).is_ok();
        if (has_changed || !is_plain)
            && let Ok(read) = args.as_object_mut()
        {
            *read = object;
        }
        let text = args.text();
        let value = match self.wrapped_in {
            Some(name) => {
                let parts: BTreeMap<Cow<'_, str>, &RawValue> =
                    serde_json::from_str(&text).map_err(|error| vec![reader_problem(&error)])?;
                parts.get(name).map_or("null", |value| value.get()).to_owned()
            }
            None => text.trim().to_owned(),
        };
        let Err(error) = (self.reads)(&value) else { return Ok(value) };
        match with_digits(&value) {
            Some(digits) if (self.reads)(&digits).is_ok() => Ok(digits),
            _ => Err(vec![reader_problem(&error)]),
        }
    }

    /// The fields that the type drops because related fields are missing.
    fn halves(&self, object: &Map<String, Value>) -> Vec<Problem> {
        let schema = &*self.tool.input_schema;
        let reads = |value: Value| {
            let value = self.wrapped_in.map_or(&value, |name| &value[name]);
            (self.reads)(&value.to_string()).is_ok()
        };
        halves(&Value::Object(object.clone()), schema, schema, "", reads)
    }

    fn in_its_words(&self, problems: Vec<Problem>) -> Vec<Problem> {
        if self.called == ARGUMENTS {
            problems
        } else {
            problems.into_iter().map(Problem::for_value).collect()
        }
    }
}

fn reader_problem(error: &serde_json::Error) -> Problem {
    Problem::from_reader(reason_of(error))
}
