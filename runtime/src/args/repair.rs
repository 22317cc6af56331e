//! The listed repairs of broken argument text; anything else is reported, never guessed.

use serde::de::IgnoredAny;

/// Repaired text, if one of the listed repairs makes it one JSON object:
///
/// 1. no text at all is an empty object, as models send it for a tool without parameters,
/// 2. a Markdown code fence around it,
/// 3. commas before a closing bracket,
/// 4. the object encoded as a JSON string, as often as it was.
///
/// Valid JSON objects are never touched.
pub(crate) fn repair(text: &str) -> Option<String> {
    if is_json(text) && !text.trim_start().starts_with('"') {
        return None;
    }
    let text = unfence(text.trim());
    if text.is_empty() {
        return Some("{}".to_owned());
    }
    let mut text = if is_json(text) { text.to_owned() } else { without_trailing_commas(text) };
    while text.starts_with('"') {
        let inner: String = serde_json::from_str(&text).ok()?;
        inner.trim().clone_into(&mut text);
        if !is_json(&text) {
            text = without_trailing_commas(unfence(&text));
        }
    }
    (text.starts_with('{') && is_json(&text)).then_some(text)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The inside of a code fence that stands around all of the text, whatever language it names.
fn unfence(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    let language = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    inside[language..].trim()
}

/// Drops each comma that only white space separates from a closing bracket, outside strings.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in chars.by_ref() {
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c == '"' {
            in_string = true;
        } else if c == ',' && text[at + 1..].trim_start().starts_with(['}', ']']) {
            continue;
        }
        out.push(c);
    }
    out
}
