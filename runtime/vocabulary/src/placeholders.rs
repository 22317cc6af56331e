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

/// A placeholder of another language, such as `{guest:?}`, `{guest.len()}` or `{{ guest }}`. It is text. A literal of an agent with a state cannot have
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignPlaceholder<'t> {
    /// With its braces.
    pub text: &'t str,
    /// Between the braces, without blanks.
    pub inside: &'t str,
    /// The path, if that is all it shows: no call, index or filter.
    pub path: Option<&'t str>,
}

/// Splits a text at its placeholders. A placeholder between two pairs of braces and without blanks, of another language too, is text with one pair, and
/// all other braces are text as they are written.
pub fn split(text: &str) -> Vec<TextPiece> {
    let (mut pieces, mut words) = (Vec::new(), String::new());
    for piece in pieces_of(text) {
        match piece {
            Piece::Words(text) | Piece::Foreign(ForeignPlaceholder { text, .. }) => words.push_str(text),
            Piece::Escaped(inside) => words.extend(["{", inside, "}"]),
            Piece::Path(path) => {
                if !words.is_empty() {
                    pieces.push(TextPiece::Words(std::mem::take(&mut words)));
                }
                pieces.push(TextPiece::Placeholder(path.to_owned()));
            }
        }
    }
    if !words.is_empty() {
        pieces.push(TextPiece::Words(words));
    }
    pieces
}

/// The placeholders of other languages in a text.
pub fn foreign(text: &str) -> impl Iterator<Item = ForeignPlaceholder<'_>> {
    pieces_of(text).into_iter().filter_map(|piece| match piece {
        Piece::Foreign(foreign) => Some(foreign),
        Piece::Words(_) | Piece::Escaped(_) | Piece::Path(_) => None,
    })
}

/// Writes a text so that nothing in it is read as a placeholder.
pub fn escape(words: &str) -> String {
    let (mut text, mut rest) = (String::new(), words);
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        let inside = inside(behind, "{", "}").filter(|it| it.is_trimmed).map(|it| it.text);
        text.push_str(before);
        match inside {
            Some(inside) => text.extend(["{{", inside, "}}"]),
            None => text.push('{'),
        }
        rest = &behind[inside.map_or(1, |inside| inside.len() + 2)..];
    }
    text + rest
}

/// A piece of a text, as it is written.
enum Piece<'t> {
    Words(&'t str),
    /// Between two pairs of braces.
    Escaped(&'t str),
    Path(&'t str),
    Foreign(ForeignPlaceholder<'t>),
}

fn pieces_of(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        let (piece, len) = first(behind).unwrap_or((Piece::Words("{"), 1));
        pieces.extend([Piece::Words(before), piece]);
        rest = &behind[len..];
    }
    pieces.push(Piece::Words(rest));
    pieces
}

/// The placeholder at the beginning of a text, and its length.
fn first(text: &str) -> Option<(Piece<'_>, usize)> {
    let (inside, braces) = match inside(text, "{{", "}}") {
        Some(inside) => (inside, 2),
        None => (inside(text, "{", "}")?, 1),
    };
    let len = inside.text.len() + 2 * braces;
    let piece = if braces == 2 && inside.is_trimmed {
        Piece::Escaped(inside.text)
    } else if braces == 1 && inside.path == Some(inside.text) {
        Piece::Path(inside.text)
    } else {
        Piece::Foreign(ForeignPlaceholder {
            text: &text[..len],
            inside: inside.text.trim(),
            path: inside.path,
        })
    };
    Some((piece, len))
}

/// What is between the braces of a placeholder, of another language too.
struct Inside<'t> {
    text: &'t str,
    is_trimmed: bool,
    /// As in a [`ForeignPlaceholder`].
    path: Option<&'t str>,
}

/// What is between these braces, if the text begins with a placeholder, of another language too.
fn inside<'t>(text: &'t str, open: &str, close: &str) -> Option<Inside<'t>> {
    let text = text.strip_prefix(open)?;
    let (text, rest) = text.split_at(text.find(['{', '}', '\n', '\r'])?);
    let trimmed = text.trim();
    let is_trimmed = trimmed == text;
    let (path, behind) = path(trimmed.strip_prefix("r#").unwrap_or(trimmed))?;
    let is_double = open == "{{";
    let is_shown = behind.is_empty() || is_format(behind);
    let is_computed = is_call(behind) || is_double && behind.trim_start().starts_with('|');
    // `{ run() }` is code.
    let is_code = !is_trimmed && !is_double && !behind.is_empty();
    let is_placeholder = rest.starts_with(close) && (is_shown || is_computed) && !is_code;
    is_placeholder.then_some(Inside { text, is_trimmed, path: is_shown.then_some(path) })
}

fn is_in_path(c: char) -> bool {
    c == '_' || c == '.' || c.is_alphanumeric()
}

/// The path at the beginning of a text, and what is behind it: names with dots between them and no blanks. All but the first may be numbers.
fn path(text: &str) -> Option<(&str, &str)> {
    let (path, behind) = text.split_at(text.find(|c| !is_in_path(c)).unwrap_or(text.len()));
    let is_name = |part: &str| part.starts_with(|first: char| first == '_' || first.is_alphabetic());
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_path = path.split('.').enumerate().all(|(at, part)| is_name(part) || at > 0 && is_number(part));
    is_path.then_some((path, behind))
}

/// Whether this is the format of Rust or Python behind a path: `:?`, `:>8.2f`, `!r`.
fn is_format(text: &str) -> bool {
    let converted = ["!r", "!s", "!a"].iter().find_map(|conversion| text.strip_prefix(conversion));
    let Some(form) = converted.unwrap_or(text).strip_prefix(':') else { return converted == Some("") };
    let kind = form.trim_start_matches(|c: char| c.is_ascii_digit() || "<>^=+-#,._*".contains(c));
    let is_kind = kind.len() <= 1 && "bcdeEfFgGnopsxX%?".contains(kind) || kind == "x?" || kind == "X?";
    is_kind && !form.is_empty()
}

/// Whether this is a call or an index behind a path, with what follows: `()`, `[0].name`.
fn is_call(text: &str) -> bool {
    let last = text.trim_end_matches(is_in_path);
    text.starts_with(['(', '[']) && last.ends_with([')', ']']) && !text.contains([';', '='])
}

#[cfg(test)]
mod tests {
    use super::{TextPiece, foreign, split};

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
            ("{{a:?}} {{a.len()}} {{{a:?}}} {{ a }}", &["{a:?} {a.len()} {{a:?}} {{ a }}"]),
            ("", &[]),
        ] {
            assert_eq!(shown(text), pieces, "{text}");
        }
    }

    #[test]
    fn a11_placeholders_of_other_languages_are_recognised() {
        let text = "{guest:?} {a.b:>8.2f} {x!r} {x.len()} {x[0].name} {f(a, b)} { x } {{ x }} {{ x | upper }} {r#type} {x:%}";
        let written: Vec<_> = foreign(text).map(|foreign| (foreign.text, foreign.path)).collect();
        let expected = [
            ("{guest:?}", Some("guest")),
            ("{a.b:>8.2f}", Some("a.b")),
            ("{x!r}", Some("x")),
            ("{x.len()}", None),
            ("{x[0].name}", None),
            ("{f(a, b)}", None),
            ("{ x }", Some("x")),
            ("{{ x }}", Some("x")),
            ("{{ x | upper }}", None),
            ("{r#type}", Some("type")),
            ("{x:%}", Some("x")),
        ];
        assert_eq!(written, expected);
        for text in [
            r#"{"a": 1} {} {0} {:?} {name} {{name}} {{name:?}} {a, b} {a: 1} {a-b} {"a": {"b": [1]}}"#,
            "p{color:red} { run() } fn f() { let a = 1; } {x: Int} {x | x > 0} {a = f(b)} {x\n} {{",
        ] {
            assert_eq!(foreign(text).collect::<Vec<_>>(), [], "{text}");
        }
    }
}
