//! The exact digits of numbers in calls.

use serde_json::Value;

use super::ModelError;
use onionskin_definitions::json::exact_text;

/// Serialises a value that was parsed from `source`, with the digits of the numbers there, because a
/// [`Value`] rounds numbers beyond 64 bits. Use it for providers that send and receive the arguments of calls
/// as JSON values instead of strings.
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
/// Returns [`ModelError::Malformed`] if two numbers of the source round to the same number of the value.
pub fn exact_json(value: &Value, source: &str) -> Result<String, ModelError> {
    exact_text(value, source).map_err(|(first, other)| {
        ModelError::Malformed(format!(
            "the numbers {first} and {other} of its calls have too many digits to be told apart"
        ))
    })
}
