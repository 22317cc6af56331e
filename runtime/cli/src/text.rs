//! Texts for people. Those of models, tools and servers do not control the terminal.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onionskin_core::text::{thousands, visible};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The characters of a line of a table or of an error.
const LONGEST_TITLE: usize = 100;

/// What a tabulator is shown as.
const TAB: &str = "    ";

/// What `run` and `chat` say when a model is asked again.
pub(crate) const RESTARTED: &str =
    "the model failed and is asked again: this part of its answer does not count";

/// The text with what people do not see in it written out. Its lines stay.
pub(crate) fn plain(text: &str) -> String {
    visible(text).into_owned()
}

/// A path as one line.
pub(crate) fn path(path: &Path) -> String {
    plain(&path.display().to_string().replace('\n', "\\n"))
}

/// A file as people write it where no shell reads it: `~/` is their home.
pub(crate) fn file(written: &Path) -> PathBuf {
    match (written.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => written.to_owned(),
    }
}

/// The text with its lines, and spaces in place of tabulators.
pub(crate) fn block(text: &str) -> String {
    // The end of a line of other systems has two characters.
    plain(&text.replace('\r', "").replace('\t', TAB))
}

/// The text as one line, of at most `most` characters: spaces and ends of lines are one space.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut left = most;
    let mut is_space = false;
    for c in text.trim().chars() {
        if c.is_whitespace() && is_space {
            continue;
        }
        is_space = c.is_whitespace();
        if left == 0 {
            shown.push('…');
            break;
        }
        left -= 1;
        shown.push(if is_space { ' ' } else { c });
    }
    plain(&shown)
}

/// The first line of a text, cut.
pub(crate) fn first_line(text: &str) -> String {
    line(text.trim().lines().next().unwrap_or_default(), LONGEST_TITLE)
}

/// Names in a list: `` `a`, `b` ``.
pub(crate) fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{}`", first_line(name))).collect::<Vec<_>>().join(", ")
}

/// A word as a shell reads it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '+');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The columns that a character takes.
pub(crate) fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The longest beginning of a text that takes at most `most` columns.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let mut columns = 0;
    for (at, c) in text.char_indices() {
        columns += char_width(c);
        if columns > most {
            return &text[..at];
        }
    }
    text
}

/// A line as at most `most` lines of at most `columns`, broken at spaces if there are some. A mark shows where it is cut.
pub(crate) fn wrapped(line: &str, columns: usize, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = line.trim();
    // A wide character has two columns.
    let columns = columns.max(2);
    while !rest.is_empty() && lines.len() < most {
        let fits = beginning(rest, columns);
        let (fits, more) = rest.split_at(fits.len());
        let part = match fits.rfind(' ') {
            _ if more.is_empty() || more.starts_with(' ') => fits,
            Some(space) => &fits[..space],
            None => fits,
        };
        lines.push(part.trim_end().to_owned());
        rest = rest[part.len()..].trim_start();
    }
    if !rest.is_empty()
        && let Some(last) = lines.last_mut()
    {
        last.truncate(beginning(last, columns - 1).len());
        last.push('…');
    }
    lines
}

/// The text with its long lines broken at spaces. What is broken off begins below the line, or in its second column, if a gap shows that
/// there is one. A word that is longer than a row stays whole.
pub(crate) fn fitted(text: &str, columns: usize) -> String {
    let fit = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let behind_gap = line[indent..].find("  ").map(|gap| {
            let rest = &line[indent + gap..];
            indent + gap + rest.len() - rest.trim_start().len()
        });
        let start = behind_gap.filter(|start| width(&line[..*start]) <= columns / 2).unwrap_or(indent);
        let (before, rest) = line.split_at(start);
        let mut words = rest.split(' ');
        let mut row = format!("{before}{}", words.next().unwrap_or_default());
        let mut rows = Vec::new();
        for word in words {
            if width(&row) + 1 + width(word) <= columns {
                row = format!("{row} {word}");
            } else {
                rows.push(row);
                row = format!("{}{word}", " ".repeat(width(before)));
            }
        }
        rows.push(row);
        rows.join("\n")
    };
    text.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// A duration for people: `0.3 s`, `2 min 05 s`.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// `1 token`, `1,234 tokens`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn o1_a_text_controls_no_terminal() {
        assert_eq!(block("a\u{1b}[31m\u{202e}b\r\nc\td\u{9b}e"), "a\\u{1b}[31m\\u{202e}b\nc    d\\u{9b}e");
        assert_eq!(line(" a\u{7}\n\n b ", 9), "a\\u{7} b");
        assert_eq!(line("äöüß", 3), "äöü…");
        assert_eq!(first_line("\n One.\nTwo."), "One.");
        assert_eq!(first_line("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
        assert_eq!(first_line(&"ü".repeat(101)), "ü".repeat(100) + "…");
        assert_eq!(plain("a\nb\tc\rd"), "a\nb\tc\\rd");
    }

    #[test]
    fn o1_wide_characters_take_two_columns() {
        assert_eq!(width("日本"), 4);
        assert_eq!(beginning("日本語", 5), "日本");
        assert_eq!(beginning("abc", 5), "abc");
    }

    #[test]
    fn o1_a_long_line_is_broken_at_spaces() {
        let long = "Asks the user a question.";
        assert_eq!(wrapped(long, 10, 9), ["Asks the", "user a", "question."]);
        assert_eq!(wrapped(long, 25, 9), [long]);
        assert_eq!(wrapped(long, 8, 2), ["Asks the", "user a…"]);
        assert_eq!(wrapped("日本語の", 5, 9), ["日本", "語の"]);
        assert_eq!(wrapped("aaaabbbb c", 4, 2), ["aaaa", "bbb…"]);
        assert_eq!(wrapped("日本", 0, 9), ["日", "本"]);
        assert!(wrapped("  ", 9, 9).is_empty());
    }

    #[test]
    fn o1_a_text_keeps_its_columns_when_its_lines_are_broken() {
        assert_eq!(fitted("one\n\na long line of words", 9), "one\n\na long\nline of\nwords");
        assert_eq!(fitted("  an indented line", 12), "  an\n  indented\n  line");
        assert_eq!(fitted("/undo   takes the input out", 24), "/undo   takes the input\n        out");
        assert_eq!(fitted("a long name of it  and words", 24), "a long name of it  and\nwords");
        assert_eq!(fitted("a /path/that/is/long here", 8), "a\n/path/that/is/long\nhere");
        assert_eq!(fitted("two  blanks", 11), "two  blanks");
    }

    proptest! {
        #[test]
        fn o1_lines_of_a_text_fit_and_lose_nothing(line in "\\PC{0,60}", columns in 2usize..20) {
            let lines = wrapped(&line, columns, usize::MAX);
            prop_assert!(lines.iter().all(|line| line.chars().map(char_width).sum::<usize>() <= columns));
            let text = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(text(&lines.concat()), text(&line));
        }
    }

    #[test]
    fn o1_times_and_numbers_are_for_people() {
        let shown =
            [340, 59_940, 60_000, 125_000, 3_720_000].map(|millis| time(Duration::from_millis(millis)));
        assert_eq!(shown, ["0.3 s", "59.9 s", "1 min 00 s", "2 min 05 s", "1 h 02 min"]);
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 1_234].map(|count| counted(count, "tool")), ["0 tools", "1 tool", "1,234 tools"]);
    }
}
