//! What is written for the user. It is plain text, in a terminal too.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// A longer line of a server is cut.
const LONGEST: usize = 100;

/// Writes a result. A reader that has seen enough is no failure.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(error)),
        _ => Ok(()),
    }
}

/// Writes a result as JSON, on several lines.
pub(crate) fn json(result: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(result).map_err(Failure::new)?;
    text(&format!("{json}\n"))
}

/// Writes an error. One that is drawn with its lines of a file begins with the word already.
pub(crate) fn error(text: &str) {
    aside("error", text.strip_prefix("error: ").unwrap_or(text));
}

pub(crate) fn note(text: &str) {
    aside("note", text);
}

/// Where nobody can be told, nothing is lost: the exit code says as much.
fn aside(what: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{what}: {text}");
}

/// `1 tool`, `2 tools`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The first line of a text of a server, without characters that control a terminal, and cut.
pub(crate) fn line(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut shown = String::new();
    for c in first.chars().take(LONGEST) {
        let directs = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || directs {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if first.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_a_line_of_a_server_controls_no_terminal() {
        assert_eq!(line("\n One.\nTwo."), "One.");
        assert_eq!(line("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
        assert_eq!(line(&"ü".repeat(101)), "ü".repeat(100) + "…");
        assert_eq!((counted(1, "tool"), counted(0, "tool")), ("1 tool".to_owned(), "0 tools".to_owned()));
    }
}
