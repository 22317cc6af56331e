//! The placeholders of a text: `{guest}`, and `{session_state.language}`.
//!
//! `agent!` splits literals, and the runtime all other texts.

/// The prefix of the name of a value in the session's state.
pub const SESSION_STATE: &str = "session_state.";

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// Literal text.
    Words(String),
    /// The path between the braces.
    Placeholder(String),
}

/// Splits a text at its placeholders. A placeholder between two pairs of braces is text with one pair, and all other braces are text as they are
/// written.
pub fn split(text: &str) -> Vec<TextPiece> {
    let (mut pieces, mut words, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find('{') {
        words.push_str(&rest[..at]);
        let behind = &rest[at..];
        if let Some(path) = placeholder(behind, "{{", "}}") {
            words.extend(["{", path, "}"]);
            rest = &behind[path.len() + 4..];
        } else if let Some(path) = placeholder(behind, "{", "}") {
            if !words.is_empty() {
                pieces.push(TextPiece::Words(std::mem::take(&mut words)));
            }
            pieces.push(TextPiece::Placeholder(path.to_owned()));
            rest = &behind[path.len() + 2..];
        } else {
            words.push('{');
            rest = &behind[1..];
        }
    }
    words.push_str(rest);
    if !words.is_empty() {
        pieces.push(TextPiece::Words(words));
    }
    pieces
}

/// The path between these braces, if the text begins with a placeholder: names with dots between them and no blanks. All but the first may be numbers.
pub fn placeholder<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let path = text.strip_prefix(open)?;
    let is_inside = |c: char| c == '_' || c == '.' || c.is_alphanumeric();
    let path = &path[..path.find(|c| !is_inside(c)).unwrap_or(path.len())];
    let is_name = |part: &str| part.starts_with(|first: char| first == '_' || first.is_alphabetic());
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_path = path.split('.').enumerate().all(|(at, part)| is_name(part) || at > 0 && is_number(part));
    (is_path && text[open.len() + path.len()..].starts_with(close)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::{TextPiece, split};

    fn shown(text: &str) -> Vec<String> {
        let shown = |piece| match piece {
            TextPiece::Words(words) => words,
            TextPiece::Placeholder(path) => format!("<{path}>"),
        };
        split(text).into_iter().map(shown).collect()
    }

    #[test]
    fn a11_only_paths_without_blanks_between_braces_are_places() {
        for (text, pieces) in [
            ("Greet {guest}.", &["Greet ", "<guest>", "."][..]),
            ("{a.b.0}{_c}", &["<a.b.0>", "<_c>"]),
            ("{{name}} and {name}", &["{name} and ", "<name>"]),
            (r#"{"a": 1} {} { x } {0} {a.} {a-b} {{ "#, &[r#"{"a": 1} {} { x } {0} {a.} {a-b} {{ "#]),
            ("{{ x }} {x /* y */} {r#type} {x\n} {a . b}", &["{{ x }} {x /* y */} {r#type} {x\n} {a . b}"]),
            ("fn main() { body }", &["fn main() { body }"]),
            ("{type}{a.99999999999999999999}", &["<type>", "<a.99999999999999999999>"]),
            ("{{{name}}}", &["{{name}}"]),
            ("", &[]),
        ] {
            assert_eq!(shown(text), pieces, "{text}");
        }
    }
}
