//! The parts of a call: its id and its arguments.

use serde_json::Value;

/// The id of a call whose own id does not distinguish it: with its number in the answer.
pub(super) fn numbered_id(id: &str, number: usize) -> String {
    format!("{id}_{number}")
}

/// The text as the model wrote it, if it is known and is what genai understood; else the value's JSON.
pub(super) fn argument_text(value: &Value, written: Option<&String>) -> String {
    let text = match (value, written) {
        (Value::String(broken), None) => broken.clone(),
        (Value::String(broken), Some(written)) if broken == written => written.clone(),
        (value, Some(written)) if serde_json::from_str::<Value>(written).is_ok_and(|same| same == *value) => {
            written.clone()
        }
        (value, _) => value.to_string(),
    };
    // Models leave the arguments of tools without parameters empty.
    if text.trim().is_empty() || text == "null" { "{}".to_owned() } else { text }
}
