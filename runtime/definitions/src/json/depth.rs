//! JSON that is nested more deeply than `serde_json` accepts, up to a limit that fits a thread's stack.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

use super::Unique;

/// The levels of lists and objects that [`read_deep`] reads.
pub const MAX_LEVELS: usize = 300;

/// Parses a text without duplicate keys.
///
/// # Errors
/// Returns an error if the text is not JSON, or has more than [`MAX_LEVELS`] levels.
pub fn read_deep(json: &str) -> Result<Value, serde_json::Error> {
    if levels(json) > MAX_LEVELS {
        let reason =
            format!("it has more than {MAX_LEVELS} levels of lists and objects inside of each other");
        return Err(serde_json::Error::custom(reason));
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.disable_recursion_limit();
    let Unique(value) = Unique::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// The nesting depth of lists and objects of a JSON text.
pub fn levels(json: &str) -> usize {
    let (mut most, mut open) = (0, 0usize);
    for byte in outside_strings(json.as_bytes()) {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// An upper estimate of the number of values in a JSON text. A value takes many times the memory of its text,
/// so values are counted before parsing.
///
/// ```
/// use onionskin_definitions::json::json_values;
///
/// assert!(json_values(br#"{"a": [1, "x, [y]"]}"#) >= 4);
/// ```
pub fn json_values(json: &[u8]) -> usize {
    1 + outside_strings(json).filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

fn outside_strings(json: &[u8]) -> impl Iterator<Item = u8> {
    let (mut in_string, mut is_escaped) = (false, false);
    json.iter().copied().filter(move |byte| {
        let is_outside = !in_string;
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        is_outside
    })
}

/// As [`levels`], of a value.
pub fn levels_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels_of).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(levels_of).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn levels_of_a_text_are_those_of_its_value() {
        for value in [json!(1), json!([]), json!([{ "a[\"[": "]{\\" }, [[], 1]]), json!({ "\\": [["[["]] })] {
            assert_eq!(levels(&value.to_string()), levels_of(&value), "{value}");
        }
        assert_eq!((levels("]["), levels("[[[")), (1, 3));
    }
}
