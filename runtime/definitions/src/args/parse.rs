//! Parses argument text as one object.

use serde_json::{Map, Value};

use crate::json::{ARGUMENT_LEVELS, Unique, levels, repair};
use crate::schema::describe;
use crate::text::short;

/// The reason why the arguments are not one JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.about("the arguments"))]
pub struct ArgsError {
    reason: String,
}

impl ArgsError {
    /// The error's text, for other values than the arguments of a call.
    pub fn about(&self, what: &str) -> String {
        format!("{what} cannot be used: {}", self.reason)
    }

    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: short(&reason.into(), 300).into_owned() }
    }

    pub(super) fn no_object(found: &Value) -> Self {
        Self::new(format!("not one JSON object: found {}", describe(found)))
    }
}

/// Parses argument text, with repairs if necessary.
pub(crate) fn parse_object(text: &str) -> Result<Map<String, Value>, ArgsError> {
    match strict(text) {
        Ok(object) => Ok(object),
        Err(first) => match repair(text) {
            Some(repaired) => strict(&repaired),
            None => Err(first),
        },
    }
}

fn strict(text: &str) -> Result<Map<String, Value>, ArgsError> {
    let most = usize::from(ARGUMENT_LEVELS);
    // Each level has two brackets.
    if text.len() > 2 * most && levels(text) > most {
        return Err(ArgsError::new(format!("they nest too deeply: more than {most} levels")));
    }
    match serde_json::from_str::<Unique>(text) {
        Ok(Unique(Value::Object(object))) => Ok(object),
        Ok(Unique(other)) => Err(ArgsError::no_object(&other)),
        Err(error) => Err(ArgsError::new(format!("not one JSON object: {error}"))),
    }
}
