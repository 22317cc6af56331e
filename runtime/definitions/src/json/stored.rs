//! Deserialises stored values without losing unknown parts.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::short;

/// The reason why a stored value cannot be read.
pub struct Unread {
    /// The path in the value: `.results[0].mood`; empty for the value itself.
    pub path: String,
    /// The problem at this path.
    pub problem: Problem,
}

/// A problem with a stored value.
pub enum Problem {
    /// An unknown field or kind of value.
    UnknownField,
    /// Another form, with the text of serde.
    Other(String),
}

/// Deserialises a stored value, and compares the JSON of the result with it, so that no part is lost.
///
/// # Errors
/// Returns an error if the value has another form, or an unknown field or kind of value.
pub fn read_stored<T: Serialize + DeserializeOwned>(stored: &Value) -> Result<T, Unread> {
    let other = |error: serde_json::Error| Unread::new(Problem::Other(problem_of(&error)));
    let read = T::deserialize(stored).map_err(other)?;
    let written = serde_json::to_value(&read).map_err(other)?;
    compare(stored, &written)?;
    Ok(read)
}

/// The part of serde's text about what it expected. The part about what it found is dropped, because stored
/// data can be long and must not be logged.
pub fn problem_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The last such phrase is serde's: the found data precedes it.
    let told = match text.rfind(", expected ") {
        Some(at) => &text[at + ", ".len()..],
        None if text.starts_with("missing field `") => &text,
        None => "it has another form",
    };
    short(told, 200).into_owned()
}

fn compare(stored: &Value, written: &Value) -> Result<(), Unread> {
    match (stored, written) {
        (Value::Object(stored), Value::Object(written)) => stored.iter().try_for_each(|(name, value)| {
            let compared = match written.get(name) {
                Some(written) => compare(value, written),
                None => Err(Unread::new(Problem::UnknownField)),
            };
            compared.map_err(|unread| unread.inside(&format!(".{}", short(name, 100))))
        }),
        (Value::Array(stored), Value::Array(written)) if stored.len() == written.len() => {
            let mut pairs = stored.iter().zip(written).enumerate();
            pairs.try_for_each(|(index, (stored, written))| {
                compare(stored, written).map_err(|unread| unread.inside(&format!("[{index}]")))
            })
        }
        (stored, written) if stored == written => Ok(()),
        _ => Err(Unread::new(Problem::Other(
            "this version of onionskin does not know its kind or its value".to_owned(),
        ))),
    }
}

impl Unread {
    fn new(problem: Problem) -> Self {
        Self { path: String::new(), problem }
    }

    fn inside(mut self, part: &str) -> Self {
        self.path.insert_str(0, part);
        self
    }
}
