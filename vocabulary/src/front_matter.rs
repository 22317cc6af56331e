//! Markdown with YAML front matter.

use std::ops::Range;

use crate::problem::Problem;

/// The parts of a Markdown card, as places in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The YAML between the lines `---`.
    pub(crate) front: Range<usize>,
    /// The text behind them.
    pub(crate) body: Range<usize>,
}

/// Whether a text begins with the line in front of its fields.
pub(crate) fn has_front(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| is_mark(line))
}

/// Divides a card.
///
/// # Errors
/// Returns an error if it does not begin with front matter, or if that does not end.
pub(crate) fn divide(text: &str) -> Result<Parts, Problem> {
    let mut lines = lines(text);
    let (begin, first) = lines.next().unwrap_or((text.len(), ""));
    if !is_mark(first) {
        let message = "the front matter is missing: a card begins with a line `---`, its fields in YAML, and another line `---`; its text \
                       follows";
        return Err(Problem { message: message.to_owned(), span: begin..begin + first.trim_end().len() });
    }
    let front = begin + first.len();
    match lines.find(|(_, line)| is_mark(line)) {
        Some((end, line)) => Ok(Parts { front: front..end, body: end + line.len()..text.len() }),
        None => {
            let message =
                "the front matter has no end: write a line `---` before the text of the card".to_owned();
            Err(Problem { message, span: begin..begin + 3 })
        }
    }
}

/// The lines of a text, each with its place, without the empty ones in front.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begin = text.len() - text.trim_start_matches('\u{feff}').trim_start_matches(['\r', '\n']).len();
    text[begin..].split_inclusive('\n').scan(begin, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

fn is_mark(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use super::divide;

    fn parts(text: &str) -> Option<(&str, &str)> {
        divide(text).ok().map(|parts| (&text[parts.front], &text[parts.body]))
    }

    #[test]
    fn c1_front_matter_is_between_two_lines() {
        assert_eq!(parts("---\na: 1\n---\nText.\n"), Some(("a: 1\n", "Text.\n")));
        assert_eq!(parts("\u{feff}\r\n---\r\na: 1\r\n---  \r\nText."), Some(("a: 1\r\n", "Text.")));
        assert_eq!(parts("---\n---"), Some(("", "")));
        assert_eq!(parts("---\na: 1\n---\nText.\n---\nMore.\n"), Some(("a: 1\n", "Text.\n---\nMore.\n")));
        assert_eq!(parts("Text."), None);
        assert_eq!(parts(""), None);
        assert_eq!(parts("---\na: 1\n"), None);
        assert_eq!(parts("----\na: 1\n---\n"), None);
    }
}
