//! The digits of the numbers in calls.

use serde_json::Value;

use super::ModelError;
use onionskin_definitions::json::exact_text;

/// The JSON of a value that was read from `source`, with the digits that its numbers have there: a [`Value`] rounds those that are longer than 64 bits. It is
/// for models whose provider writes the arguments of calls as values, and for arguments that go back as values.
///
/// ```
/// use onionskin::model::exact_json;
///
/// let source = r#"{"args": {"n": 12345678901234567890123}}"#;
/// let event: serde_json::Value = serde_json::from_str(source).unwrap();
/// assert_eq!(exact_json(&event["args"], source).unwrap(), r#"{"n":12345678901234567890123}"#);
/// ```
///
/// # Errors
/// Returns [`ModelError::Malformed`] if the value has a number that two numbers of the source are rounded to.
pub fn exact_json(value: &Value, source: &str) -> Result<String, ModelError> {
    exact_text(value, source).map_err(|(first, other)| {
        ModelError::Malformed(format!(
            "the numbers {first} and {other} of its calls have too many digits to be told apart"
        ))
    })
}
