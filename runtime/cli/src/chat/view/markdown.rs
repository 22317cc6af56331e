//! Markdown that a model writes, as text in styles, while it is written.

// Parsers of documents read a paragraph when it has ended, and the paragraph of a model is seconds long. This one holds back what may be
// the beginning of a span or of a line's mark, and shows the rest at once. What it does not know stays as the model writes it: tables,
// links, HTML, and words between `_`, because names have them too.

use super::super::tree::Style;

/// The bytes that a span of code or emphasis may have. A longer one stays as it is written.
const LONGEST_SPAN: usize = 400;

/// The columns of a line between two parts of a text.
const RULE: usize = 20;

/// A part of a text for the rows of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(Style, String),
    /// How the rest of the line is broken: the columns before its further rows, and whether words stay whole.
    Layout {
        indent: usize,
        wraps: bool,
    },
}

#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// The part of the line that is not shown yet.
    line: String,
    /// What the line is, once that is known.
    block: Option<Block>,
    /// The last shown character of the line.
    previous: Option<char>,
    /// The mark of the block of code that was begun, and its length.
    fence: Option<(char, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Prose(Style),
    Code,
    /// A line that begins or ends a block of code. It is not shown.
    Fence,
}

impl Markdown {
    /// Takes more text, and gives the parts that can be shown.
    pub(super) fn push(&mut self, text: &str, parts: &mut Vec<Part>) {
        for piece in text.split_inclusive('\n') {
            match piece.strip_suffix('\n') {
                Some(rest) => {
                    self.line.push_str(rest);
                    self.end_line(parts);
                }
                None => {
                    self.line.push_str(piece);
                    self.advance(false, parts);
                }
            }
        }
    }

    /// Gives what was held back: the text has ended, and another one begins.
    pub(super) fn finish(&mut self, parts: &mut Vec<Part>) {
        self.advance(true, parts);
        *self = Self::default();
    }

    fn end_line(&mut self, parts: &mut Vec<Part>) {
        self.advance(true, parts);
        if self.block.take() != Some(Block::Fence) {
            parts.push(Part::Text(Style::Plain, "\n".to_owned()));
        }
        self.previous = None;
    }

    /// Shows what is known of the line. `ends` if it is whole.
    fn advance(&mut self, ends: bool, parts: &mut Vec<Part>) {
        if self.block.is_none() {
            if self.line.is_empty() && !ends {
                return;
            }
            let Some((block, length)) = self.begin(ends, parts) else { return };
            self.line.drain(..length);
            self.block = Some(block);
        }
        let length = match self.block {
            Some(Block::Prose(style)) => inline(&self.line, self.previous, style, ends, parts),
            Some(Block::Code) => {
                push(parts, Style::Code, &self.line);
                self.line.len()
            }
            Some(Block::Fence) | None => self.line.len(),
        };
        self.previous = self.line[..length].chars().next_back().or(self.previous);
        self.line.drain(..length);
    }

    /// What the line is, and the length of its mark, which is shown as it looks. None as long as it could be several things.
    fn begin(&mut self, ends: bool, parts: &mut Vec<Part>) -> Option<(Block, usize)> {
        let text = self.line.trim_start_matches(' ');
        let lead = self.line.len() - text.len();
        let mark = text.chars().next().unwrap_or(' ');
        let run = text.len() - text.trim_start_matches(mark).len();
        let rest = &text[run..];
        if let Some((fence, length)) = self.fence {
            let closes = mark == fence && rest.trim_end().is_empty();
            if closes && !ends {
                return None;
            }
            if closes && run >= length {
                self.fence = None;
                return Some((Block::Fence, self.line.len()));
            }
            parts.push(Part::Layout { indent: 0, wraps: false });
            return Some((Block::Code, 0));
        }
        let waits = !ends && self.line.len() < LONGEST_SPAN;
        let is_alone = rest.is_empty();
        let spaces = " ".repeat(lead);
        let mut prose = |style, shown: &str, mark: usize| {
            let indent = lead + shown.chars().count();
            parts.push(Part::Layout { indent, wraps: true });
            push(parts, Style::Plain, &spaces);
            push(parts, Style::Faint, shown);
            Some((Block::Prose(style), lead + mark))
        };
        match mark {
            ' ' if waits => None,
            '`' | '~' if run >= 3 || is_alone => {
                if waits {
                    return None;
                }
                if run < 3 || mark == '`' && rest.contains('`') {
                    return prose(Style::Plain, "", 0);
                }
                self.fence = Some((mark, run));
                Some((Block::Fence, self.line.len()))
            }
            '#' | '-' | '*' | '+' | '_' | '>' if is_alone && waits => None,
            '-' | '*' | '_' if is_alone && run >= 3 => {
                push(parts, Style::Faint, &"─".repeat(RULE));
                Some((Block::Prose(Style::Plain), self.line.len()))
            }
            // All spaces behind the mark belong to it, in this piece of the text or the next.
            '#' if run <= 6 && rest.trim_start().is_empty() && waits => None,
            '#' if run <= 6 && rest.starts_with(' ') => {
                prose(Style::Strong, "", run + rest.len() - rest.trim_start().len())
            }
            '-' | '*' | '+' if run == 1 && rest.starts_with(' ') => prose(Style::Plain, "• ", 2),
            '>' => prose(Style::Plain, "│ ", if text[1..].starts_with(' ') { 2 } else { 1 }),
            '0'..='9' => {
                let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let behind = &text[digits..];
                let is_number = digits <= 9 && (behind.is_empty() || behind.starts_with(['.', ')']));
                if is_number && behind.len() < 2 && waits {
                    return None;
                }
                if is_number && behind.get(1..).is_some_and(|rest| rest.starts_with(' ')) {
                    let number = text[..digits + 2].to_owned();
                    return prose(Style::Plain, &number, digits + 2);
                }
                prose(Style::Plain, "", 0)
            }
            _ => prose(Style::Plain, "", 0),
        }
    }
}

fn push(parts: &mut Vec<Part>, style: Style, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Text(style, text.to_owned()));
    }
}

/// Shows the text of a line in its styles, as far as they are known, and gives the length of that.
fn inline(text: &str, previous: Option<char>, base: Style, ends: bool, parts: &mut Vec<Part>) -> usize {
    let (mut shown, mut at) = (0, 0);
    let last = |at: usize| text[..at].chars().next_back().or(previous);
    while let Some(mark) = text[at..].chars().next() {
        match mark {
            '\\' if at + 1 == text.len() && !ends => break,
            '\\' if text[at + 1..].starts_with(['*', '`', '\\']) => {
                push(parts, base, &text[shown..at]);
                shown = at + 1;
                at += 2;
            }
            '`' | '*' => {
                let run = text[at..].len() - text[at..].trim_start_matches(mark).len();
                let inner = at + run;
                // A line without its end is not searched for each of its marks.
                let near = (at + LONGEST_SPAN..text.len()).find(|at| text.is_char_boundary(*at));
                let near = near.unwrap_or(text.len()).max(inner);
                let end = if inner == near && !ends {
                    Closing::Unknown
                } else {
                    closing(&text[..near], inner, (mark, run), last(at), ends && near == text.len())
                };
                match end {
                    Closing::At(end) if end + run - at < LONGEST_SPAN => {
                        push(parts, base, &text[shown..at]);
                        let content = &text[inner..end];
                        if mark == '`' {
                            let inside = content.strip_prefix(' ').and_then(|text| text.strip_suffix(' '));
                            push(parts, Style::Code, inside.unwrap_or(content));
                        } else {
                            let style = if run == 1 { Style::Emphasis } else { Style::Strong };
                            inline(content, None, style, true, parts);
                        }
                        at = end + run;
                        shown = at;
                    }
                    Closing::Unknown if !ends && text.len() - at < LONGEST_SPAN => break,
                    Closing::At(_) | Closing::Unknown | Closing::None => at = inner,
                }
            }
            _ => at += mark.len_utf8(),
        }
    }
    push(parts, base, &text[shown..at]);
    at
}

enum Closing {
    At(usize),
    /// More of the line may have it.
    Unknown,
    None,
}

/// Where the span ends that begins at `inner`, behind its mark of so many characters.
fn closing(
    text: &str,
    inner: usize,
    (mark, run): (char, usize),
    before: Option<char>,
    ends: bool,
) -> Closing {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let first = text[inner..].chars().next();
    // A pattern of file names is no emphasis.
    let begins_emphasis = match run {
        1 => first.is_some_and(|c| !c.is_ascii_punctuation() || matches!(c, '"' | '\'' | '`' | '(' | '[')),
        2 | 3 => first != Some('/'),
        _ => false,
    };
    if mark == '*' && (!begins_emphasis || is_word(before) || is_space(first)) {
        return Closing::None;
    }
    let mut at = inner;
    while let Some(next) = text[at..].find(['`', '*']) {
        let start = at + next;
        let other = text[start..].chars().next().unwrap_or(mark);
        let length = text[start..].len() - text[start..].trim_start_matches(other).len();
        at = start + length;
        if at == text.len() && !ends {
            return Closing::Unknown;
        }
        let closes_emphasis =
            !is_space(text[..start].chars().next_back()) && !is_word(text[at..].chars().next());
        if (other, length) == (mark, run) && (mark == '`' || closes_emphasis) {
            return Closing::At(start);
        }
        // A mark in a span of code does not end the emphasis around it.
        if other == '`' && mark == '*' {
            match closing(text, at, (other, length), None, ends) {
                Closing::At(end) => at = end + length,
                Closing::Unknown if !ends => return Closing::Unknown,
                Closing::Unknown | Closing::None => {}
            }
        }
    }
    Closing::Unknown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text of pieces, with a letter for each style before its text.
    fn shown<'t>(pieces: impl IntoIterator<Item = &'t str>) -> String {
        let (mut markdown, mut parts) = (Markdown::default(), Vec::new());
        for piece in pieces {
            markdown.push(piece, &mut parts);
        }
        markdown.finish(&mut parts);
        let (mut text, mut last) = (String::new(), Style::Plain);
        for part in parts {
            if let Part::Text(style, part) = part {
                if style != last {
                    text.push_str(&format!("<{}>", style.code().unwrap_or_default()));
                }
                text.push_str(&part);
                last = style;
            }
        }
        text
    }

    #[test]
    fn o1_marks_become_styles() {
        for (text, wanted) in [
            ("# One\ntwo", "<1>One<0>\ntwo"),
            ("a **b `c**` d** e", "a <1>b <36>c**<1> d<0> e"),
            ("*a* and ***b***.", "<3>a<0> and <1>b<0>."),
            ("`a * b` ``c`d``", "<36>a * b<0> <36>c`d"),
            ("- a\n  * b\n12. c", "<2>• <0>a\n  <2>• <0>b\n<2>12. <0>c"),
            ("> a\n---\nb", "<2>│ <0>a\n<2>────────────────────<0>\nb"),
            ("```rust\nlet a = *b * *c;\n# d\n```\ne", "<36>let a = *b * *c;<0>\n<36># d<0>\ne"),
            ("~~~\n```\n~~~", "<36>```<0>\n"),
        ] {
            assert_eq!(shown([text]), wanted, "{text}");
        }
    }

    #[test]
    fn o1_what_marks_nothing_stays_as_it_is() {
        for text in [
            "2 * 3 * 4 and 2*3*4",
            "*.rs and **/*.md",
            "snake_case and __init__ and _this_",
            "https://example.org/_a_*b*",
            "a ** b ** c `",
            "#hash, 1.5 and 1)",
            "-5 +3 -- ==",
            "| a | b |",
            "[a](https://b)",
            "```a``` b",
            "**never closed",
            "",
            "  ",
            "-",
        ] {
            let text = text.replace("*b*", "");
            assert_eq!(shown([text.as_str()]).replace("<36>a<0>", "```a```"), text);
        }
        let long = format!("**{}**", "x".repeat(LONGEST_SPAN));
        assert_eq!(shown([long.as_str()]), long);
        assert_eq!(shown([r"\*a\* \\ \u{1b}"]), r"*a* \ \u{1b}");
    }

    #[test]
    fn o1_text_is_shown_while_it_is_written() {
        let (mut markdown, mut parts) = (Markdown::default(), Vec::new());
        let mut push = |text: &str| {
            parts.clear();
            markdown.push(text, &mut parts);
            parts
                .iter()
                .filter_map(|part| if let Part::Text(_, text) = part { Some(text.as_str()) } else { None })
                .collect::<String>()
        };
        for (piece, wanted) in [
            ("# ", ""),
            (" One", "One"),
            (" two *", " two "),
            ("th", ""),
            ("ree", ""),
            ("* f", "three f"),
            ("our\n-", "our\n"),
            (" five", "• five"),
        ] {
            assert_eq!(push(piece), wanted, "{piece}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever a model writes, in pieces or at once, is the same, and no letter of it is lost.
        #[test]
        fn o1_pieces_change_nothing_of_marks(pieces in prop::collection::vec("[ab *`#>\\\\\n~.1-]{0,6}|日", 0..12)) {
            let whole = pieces.concat();
            let at_once = shown([whole.as_str()]);
            prop_assert_eq!(&shown(pieces.iter().map(String::as_str)), &at_once);
            if !whole.contains("``") && !whole.contains("~~") {
                let letters = |text: &str| text.chars().filter(|c| matches!(c, 'a' | 'b' | '日')).collect::<String>();
                prop_assert_eq!(letters(&at_once), letters(&whole));
            }
        }
    }
}
