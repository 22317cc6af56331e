//! What is written for the user: results to standard output, words to standard error. It is plain text. In a terminal, characters that
//! control it are escaped, because models, tools and servers wrote parts of the text.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use serde::Serialize;

use crate::failure::Failure;

/// A longer line of a server is cut.
const LONGEST: usize = 100;

/// Writes a result. A reader that has seen enough is no failure.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let shown = if out.is_terminal() { plain(text) } else { text.to_owned() };
    match out.write_all(shown.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(error)),
        _ => Ok(()),
    }
}

/// Writes a result as JSON, on several lines.
pub(crate) fn json(result: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(result).map_err(Failure::new)?;
    text(&format!("{json}\n"))
}

/// Writes a result as JSON in one line.
pub(crate) fn json_line(result: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string(result).map_err(Failure::new)?;
    text(&format!("{json}\n"))
}

/// Writes an error. One that is drawn with its lines of a file begins with the word already.
pub(crate) fn error(text: &str) {
    aside(&format!("error: {}", text.strip_prefix("error: ").unwrap_or(text)));
}

/// Shows why a command failed, and gives its exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    if !failure.text().is_empty() {
        error(failure.text());
    }
    failure.exit_code()
}

pub(crate) fn warning(text: &str) {
    aside(&format!("warning: {text}"));
}

pub(crate) fn note(text: &str) {
    aside(&format!("note: {text}"));
}

/// Writes to standard error. Where nobody can be told, nothing is lost: the exit code says as much.
pub(crate) fn aside(text: &str) {
    let _ = writeln!(io::stderr(), "{}", plain(text));
}

/// `1 tool`, `2 tools`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The first line of a text of a server, without characters that control a terminal, and cut.
pub(crate) fn line(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut shown = plain(&first.chars().take(LONGEST).collect::<String>());
    if first.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// The text without characters that control a terminal or change the direction of writing. Its lines stay.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let directs = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if directs || (c.is_control() && !matches!(c, '\n' | '\t')) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
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
        assert_eq!(plain("a\nb\tc\rd"), "a\nb\tc\\rd");
        assert_eq!((counted(1, "tool"), counted(0, "tool")), ("1 tool".to_owned(), "0 tools".to_owned()));
    }
}
