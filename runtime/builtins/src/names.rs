//! Names of files in texts: as they are, or in quotes with escapes.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use onionskin_core::text::short;

/// The most bytes of a path that an error shows.
const MOST_OF_A_PATH: usize = 200;

/// Whether a text would not show the character, or would show it as something else.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A path as a line of a listing has it. One with control characters, quotes, backslashes or spaces at its ends is in
/// quotes with the escapes of JSON, so that a model can write it again.
pub(crate) fn shown(path: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_hidden(c) && c != '"' && c != '\\';
    if path.chars().all(is_plain) && path.trim() == path {
        return Cow::Borrowed(path);
    }
    Cow::Owned(format!("\"{}\"", escaped(path)))
}

fn escaped(text: &str) -> String {
    let mut all = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => all.extend(['\\', c]),
            '\n' => all.push_str("\\n"),
            '\r' => all.push_str("\\r"),
            '\t' => all.push_str("\\t"),
            // All of them have four digits.
            _ if is_hidden(c) => all.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => all.push(c),
        }
    }
    all
}

/// A path that is not UTF-8, with its other bytes as `\xNN`. JSON cannot contain it.
pub(crate) fn shown_bytes(path: &OsStr) -> String {
    let mut all = String::from("\"");
    for chunk in path.as_bytes().utf8_chunks() {
        all.push_str(&escaped(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| all.push_str(&format!("\\x{byte:02x}")));
    }
    all.push('"');
    all
}

/// A path as an error shows it: as the model gave it, escaped and shortened.
pub(crate) fn shown_path(path: &str) -> String {
    short(&shown(path), MOST_OF_A_PATH).into_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::{shown, shown_bytes, shown_path};

    #[test]
    fn a6_a_plain_name_is_shown_as_it_is() {
        for name in ["a.txt", "src/main.rs", "Ünï cödé", "..", "日本語"] {
            assert_eq!(shown(name), name);
        }
    }

    #[test]
    fn a6_a_name_that_a_line_would_not_show_is_json() {
        for name in [
            "a\nb",
            "\u{1b}[31mred",
            "a\u{202e}txt.exe",
            " a",
            "a ",
            "say \"hi\"",
            "back\\slash",
            "\u{7f}\u{0}\t\r",
        ] {
            let line = shown(name);
            assert!(line.starts_with('"') && !line.contains(['\n', '\u{1b}', '\u{202e}']), "{line}");
            assert_eq!(serde_json::from_str::<String>(&line).unwrap(), name);
        }
    }

    #[test]
    fn a6_bytes_that_are_not_utf_8_are_hexadecimal() {
        assert_eq!(shown_bytes(OsStr::from_bytes(b"caf\xe9\n")), r#""caf\xe9\n""#);
    }

    #[test]
    fn a6_an_error_shows_the_beginning_of_a_long_path() {
        let text = shown_path(&"x".repeat(5_000));
        assert!(text.len() < 300 && text.ends_with("4800 more bytes"), "{text}");
    }
}
