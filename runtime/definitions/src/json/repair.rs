//! The listed repairs of broken argument text. All other text is reported as an error.

use serde::de::IgnoredAny;

/// The repaired text, if one of the listed repairs makes it one JSON object:
///
/// 1. empty text is an empty object, because models send it for a tool without parameters,
/// 2. a Markdown code fence around it,
/// 3. commas between a value and a closing bracket,
/// 4. the object encoded as a JSON string, any number of times.
///
/// Valid JSON objects are never changed. Text becomes an object only if the model wrote one.
pub fn repair(text: &str) -> Option<String> {
    if is_json(text) && !text.trim_start().starts_with('"') {
        return None;
    }
    let text = text.trim();
    if text.is_empty() {
        return Some("{}".to_owned());
    }
    let text = unfence(text);
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

/// The content of a code fence around the whole text. The first line may name a language. On a line with
/// text, only `json` is a language.
fn unfence(text: &str) -> &str {
    let Some(inside) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    let (word, rest) =
        inside.split_at(inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len()));
    let is_language = rest.starts_with(['\n', '\r']) || word.eq_ignore_ascii_case("json");
    if is_language { rest.trim() } else { inside.trim() }
}

/// Removes each comma between a value and a closing bracket, outside strings.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    // The last character before, except white space.
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c == '"' {
            in_string = true;
        } else if c == ','
            && !matches!(before, '{' | '[' | ',' | ':')
            && text[at + 1..].trim_start().starts_with(['}', ']'])
        {
            continue;
        }
        if !c.is_whitespace() {
            before = c;
        }
        out.push(c);
    }
    out
}
