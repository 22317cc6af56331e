//! Markdown with front matter.

use std::ops::Range;

/// The parts of a Markdown text, as ranges of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter {
    /// The YAML between the two lines `---`.
    pub fields: Range<usize>,
    /// The text after them.
    pub body: Range<usize>,
}

/// The reason why a text has no front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatterMistake {
    /// The first line, at this position, is not `---`.
    Missing(Range<usize>),
    /// No line ends the fields that begin at this position.
    Unclosed(Range<usize>),
}

/// Finds the front matter of a text. A byte order mark and empty lines can precede it.
///
/// # Errors
/// Returns an error if the text does not begin with front matter, or if that does not end.
pub fn front_matter(text: &str) -> Result<FrontMatter, FrontMatterMistake> {
    let mut lines = lines(text);
    let (begin, first) = lines.next().unwrap_or((text.len(), ""));
    if !is_mark(first) {
        return Err(FrontMatterMistake::Missing(begin..begin + first.trim_end().len()));
    }
    match lines.find(|(_, line)| is_mark(line)) {
        Some((end, line)) => {
            Ok(FrontMatter { fields: begin + first.len()..end, body: end + line.len()..text.len() })
        }
        None => Err(FrontMatterMistake::Unclosed(begin..begin + 3)),
    }
}

/// The lines of a text, each with its position, without leading empty lines.
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
    use super::front_matter;

    fn parts(text: &str) -> Option<(&str, &str)> {
        front_matter(text).ok().map(|parts| (&text[parts.fields], &text[parts.body]))
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
