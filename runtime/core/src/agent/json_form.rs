//! A type as JSON: its schema, and how a text is read as it. Inputs and answers of agents are such types.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::args::Args;
use crate::definition::ToolDefinition;
use crate::schema::{Problem, reason_of};

/// A type as JSON, with its type erased.
pub(super) struct JsonForm {
    /// Reads a text, as the arguments of this tool.
    pub(super) tool: ToolDefinition,
    /// The property that holds the value, if it is not an object itself.
    pub(super) wrapped_in: Option<&'static str>,
    pub(super) reads: fn(&str) -> Result<(), serde_json::Error>,
}

impl JsonForm {
    /// The JSON of the value, from what a model wrote.
    ///
    /// # Errors
    /// Returns all problems, in the words that wrong arguments get.
    pub(super) fn read(&self, text: &str) -> Result<String, Vec<Problem>> {
        let read = self.read_object(Args::from(text));
        match self.wrapped_in {
            // Models forget the object around the value.
            Some(name) if read.is_err() => self.read_within(name, text).or(read),
            _ => read,
        }
    }

    /// As [`Self::read`], for JSON of the type itself, not of the object that holds its value.
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
        let object = self.tool.fit(&args)?;
        let has_changed = args.as_object().is_ok_and(|read| *read != object);
        // A repaired text is written anew, too.
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
                    serde_json::from_str(&text).map_err(|error| vec![of_reader(&error)])?;
                parts.get(name).map_or("null", |value| value.get()).to_owned()
            }
            None => text.trim().to_owned(),
        };
        match (self.reads)(&value) {
            Ok(()) => Ok(value),
            Err(error) => Err(vec![of_reader(&error)]),
        }
    }
}

fn of_reader(error: &serde_json::Error) -> Problem {
    Problem::of_reader(reason_of(error))
}
