//! Compares a redacted value with its original.

use serde_json::Value;

use super::redactor::MASKS;

/// Whether `shown` can be a redacted `whole`: both are equal, except for masks.
pub fn is_masked(shown: &Value, whole: &Value) -> bool {
    match (shown, whole) {
        (Value::String(shown), Value::String(whole)) => is_masked_text(shown, whole),
        // A mask in place of a number.
        (Value::String(shown), Value::Number(whole)) => {
            MASKS.iter().any(|mask| shown.contains(mask)) && is_masked_text(shown, &whole.to_string())
        }
        (Value::Array(shown), Value::Array(whole)) => {
            shown.len() == whole.len()
                && shown.iter().zip(whole).all(|(shown, whole)| is_masked(shown, whole))
        }
        (Value::Object(shown), Value::Object(whole)) => {
            let is_of = |(key, shown): (&String, &Value)| {
                let mut same = whole.iter().filter(|(other, _)| is_masked_text(key, other));
                same.any(|(_, whole)| is_masked(shown, whole))
            };
            shown.len() == whole.len() && shown.iter().all(is_of)
        }
        _ => shown == whole,
    }
}

/// As [`is_masked`], for a text.
fn is_masked_text(shown: &str, whole: &str) -> bool {
    let mut pieces = vec![shown];
    for mask in MASKS {
        pieces = pieces.into_iter().flat_map(|piece| piece.split(mask)).collect();
    }
    let (&[first, ref pieces @ ..], true) = (&pieces[..], pieces.len() > 1) else { return shown == whole };
    let Some((last, pieces)) = pieces.split_last() else { return false };
    let Some(mut rest) = whole.strip_prefix(first) else { return false };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_masked;

    #[test]
    fn a7_a_question_is_what_was_shown_except_for_masks() {
        let whole = json!({ "cents": 500, "to": "key hunter2 and swordfish!", "pin": 123_456 });
        let shown = json!({ "cents": 500, "to": "key [secret] and ***!", "pin": "[secret]" });
        assert!(is_masked(&whole, &whole));
        assert!(is_masked(&shown, &whole));
        for other in [
            json!({ "cents": 5, "to": "key [secret] and ***!", "pin": "[secret]" }),
            json!({ "cents": "500", "to": "key [secret] and ***!", "pin": "[secret]" }),
            json!({ "cents": 500, "to": "a key [secret] and ***!", "pin": "[secret]" }),
            json!({ "cents": 500, "to": "key [secret] and ***?", "pin": "[secret]" }),
            json!({ "cents": 500, "to": "key [secret] or ***!", "pin": "[secret]" }),
            json!({ "cents": 500, "to": "key [secret] and ***!" }),
        ] {
            assert!(!is_masked(&other, &whole), "{other}");
        }
    }
}
