//! Personal data of digits: payment cards, social security numbers and telephone numbers.

use std::ops::Range;

use super::PiiKind;

/// How many bytes before a number can say that it is a telephone number.
pub(super) const CUE: usize = 24;

/// The most groups of digits that one number has.
const GROUPS: usize = 8;

/// The most digits of one number.
const DIGITS: usize = 19;

/// The fewest digits of one number.
const FEWEST: usize = 7;

/// Words before a telephone number.
const CUES: [&str; 12] = [
    "call",
    "phone",
    "tel",
    "tel.",
    "telephone",
    "mobile",
    "cell",
    "fax",
    "whatsapp",
    "text me at",
    "ring",
    "telefon",
];

/// Words between such a word and the number.
const LINKS: [&str; 8] = [" number is", " number", " me at", " us at", " on", " at", " is", " no."];

/// Whether a byte can be between two digits of a number.
fn is_separator(byte: u8) -> bool {
    b" ().-/\n\r".contains(&byte)
}

/// A search that goes on where it was when more of the text is there. A run is groups of digits with at most two separators between two of them.
#[derive(Default)]
pub(super) struct Numbers {
    /// What begins before here is found.
    pub(super) at: usize,
    place: Place,
}

#[derive(Default)]
enum Place {
    #[default]
    Outside,
    /// Before this group of a run. A telephone number begins where the run or a line does, or behind another number that was
    /// found.
    Before { group: usize, is_begin: bool },
    /// In, or at the end of, a group that is too long for a number.
    InLong,
}

/// The next groups of a run.
struct Groups {
    /// Those that a number can have; the last one begins none.
    all: Vec<Range<usize>>,
    /// The begin of the group after them, which is too long.
    long: Option<usize>,
}

impl Numbers {
    /// Calls `add` with each match. `is_end`: nothing follows the text.
    pub(super) fn search(&mut self, text: &str, is_end: bool, add: &mut impl FnMut(PiiKind, Range<usize>)) {
        let bytes = text.as_bytes();
        loop {
            match self.place {
                Place::Outside => match bytes[self.at..].iter().position(u8::is_ascii_digit) {
                    Some(digit) => {
                        self.place = Place::Before { group: self.at + digit, is_begin: true };
                    }
                    None => {
                        let end = if is_end { bytes.len() } else { before_sign(bytes, bytes.len()) };
                        self.at = end.max(self.at);
                        return;
                    }
                },
                Place::InLong => {
                    self.at = end_of_digits(bytes, self.at);
                    if !is_end && !is_followed(text, self.at) {
                        return;
                    }
                    self.place = match next_group(bytes, self.at) {
                        Some(group) => Place::Before { group, is_begin: begins_line(bytes, self.at..group) },
                        None => Place::Outside,
                    };
                }
                Place::Before { group, is_begin } => {
                    let groups = groups_at(bytes, group);
                    let is_decided = is_end
                        || groups.long.is_some()
                        || groups.all.len() > GROUPS
                        || groups.all.last().is_some_and(|last| is_followed(text, last.end));
                    if !is_decided {
                        self.at = before_sign(bytes, group).max(self.at);
                        return;
                    }
                    self.step(text, &groups, is_begin, add);
                }
            }
        }
    }

    /// Looks at the numbers that begin with the first group.
    fn step(
        &mut self,
        text: &str,
        groups: &Groups,
        is_begin: bool,
        add: &mut impl FnMut(PiiKind, Range<usize>),
    ) {
        let bytes = text.as_bytes();
        let found = (0..groups.all.len().min(GROUPS)).rev().find_map(|last| {
            let groups = &groups.all[..=last];
            let range = begin_of(bytes, groups)..groups[last].end;
            let is_apart = is_apart(text, range.start, range.end);
            let kind = if is_apart { kind_of(text, range.clone(), groups, is_begin) } else { None };
            kind.map(|kind| (kind, range, last))
        });
        let next = match &found {
            Some((.., last)) => last + 1,
            None => 1,
        };
        let begins = groups.all.get(next).map(|group| groups.all[next - 1].end..group.start);
        let is_begin = found.is_some() || begins.is_some_and(|gap| begins_line(bytes, gap));
        if let Some((kind, range, _)) = found {
            add(kind, range);
        }
        (self.at, self.place) = match (groups.all.get(next), groups.long) {
            (Some(group), _) => (group.start, Place::Before { group: group.start, is_begin }),
            (None, Some(long)) => (long, Place::InLong),
            (None, None) => (groups.all.last().map_or(self.at, |last| last.end), Place::Outside),
        };
        if let Place::Before { group, .. } = self.place {
            self.at = before_sign(bytes, group);
        }
    }

    /// The text is without its first bytes now.
    pub(super) fn forget(&mut self, bytes: usize) {
        self.at -= bytes;
        if let Place::Before { group, .. } = &mut self.place {
            *group -= bytes;
        }
    }
}

/// Whether a line ends in a gap between two groups.
fn begins_line(bytes: &[u8], gap: Range<usize>) -> bool {
    bytes[gap].iter().any(|byte| b"\n\r".contains(byte))
}

/// The place without a plus sign and a parenthesis before it, with which a number can begin.
fn before_sign(bytes: &[u8], at: usize) -> usize {
    let signs = bytes[..at].iter().rev().take(2).take_while(|byte| b"+(".contains(byte)).count();
    at - signs
}

/// Whether enough follows the digits to say that they are the end of a number.
fn is_followed(text: &str, end: usize) -> bool {
    text[end..].chars().nth(2).is_some()
}

fn end_of_digits(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |digits| at + digits)
}

/// The begin of the next group of a run, with at most two separators before it.
fn next_group(bytes: &[u8], end: usize) -> Option<usize> {
    let separators = bytes[end..].iter().take(3).take_while(|byte| is_separator(**byte)).count();
    let next = end + separators;
    (separators <= 2 && bytes.get(next).is_some_and(u8::is_ascii_digit)).then_some(next)
}

/// The groups of a run from here on, one more than a number can have.
fn groups_at(bytes: &[u8], start: usize) -> Groups {
    let mut groups = Groups { all: Vec::with_capacity(GROUPS + 1), long: None };
    let mut next = Some(start);
    while let Some(at) = next {
        let reach = &bytes[..bytes.len().min(at + DIGITS + 1)];
        let end = end_of_digits(reach, at);
        if end - at > DIGITS {
            groups.long = Some(at);
            break;
        }
        groups.all.push(at..end);
        next = if groups.all.len() > GROUPS { None } else { next_group(bytes, end) };
    }
    groups
}

/// The begin with a plus sign or a parenthesis before it.
fn begin_of(bytes: &[u8], groups: &[Range<usize>]) -> usize {
    let mut start = groups[0].start;
    if start > 0 && bytes[start - 1] == b'(' && bytes.get(groups[0].end) == Some(&b')') {
        start -= 1;
    }
    if start > 0 && bytes[start - 1] == b'+' {
        start -= 1;
    }
    start
}

/// Whether the number does not belong to a longer word or number.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let mut after = text[end..].chars();
    let next = after.next();
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '€' | '£' | '@');
    let mut earlier = text[..start].chars().rev().skip(1);
    let is_joined_before = before.is_some_and(|before| {
        joins(before)
            || matches!(before, '-' | '.' | '/' | '+')
            || before == ':' && earlier.next().is_some_and(|earlier| earlier.is_ascii_digit())
    });
    let is_joined_after = next.is_some_and(|next| {
        joins(next)
            || matches!(next, '-' | '.' | '/' | ':')
                && after.next().is_some_and(|then| then.is_ascii_alphanumeric())
    });
    !is_joined_before && !is_joined_after
}

fn kind_of(text: &str, range: Range<usize>, groups: &[Range<usize>], is_begin: bool) -> Option<PiiKind> {
    if !(FEWEST..=DIGITS).contains(&groups.iter().map(ExactSizeIterator::len).sum()) {
        return None;
    }
    let digits: Vec<u8> =
        groups.iter().flat_map(|group| text.as_bytes()[group.clone()].iter().copied()).collect();
    let lengths: Vec<usize> = groups.iter().map(ExactSizeIterator::len).collect();
    let between: Vec<&str> = groups.windows(2).map(|pair| &text[pair[0].end..pair[1].start]).collect();
    let has_plus = text[range.clone()].starts_with(['+']) || text[range.clone()].starts_with("(+");
    if !has_plus && is_card(&digits, &lengths, &between) {
        return Some(PiiKind::Card);
    }
    if !has_plus && is_ssn(&digits, &lengths, &between) {
        return Some(PiiKind::Ssn);
    }
    if !is_begin {
        return None;
    }
    is_phone(text, &range, has_plus, &digits, &lengths, &between).then_some(PiiKind::Phone)
}

fn is_card(digits: &[u8], lengths: &[usize], between: &[&str]) -> bool {
    // A line ends in place of one of the signs.
    let mut signs = between.iter().filter(|gap| !is_line_end(gap));
    let first = signs.next();
    let is_even =
        first.is_none_or(|first| ["-", " ", "."].contains(first)) && signs.all(|gap| Some(gap) == first);
    let groups = match lengths {
        [_] | [4, 6, 5 | 4] => true,
        [rest @ .., last] => rest.iter().all(|length| *length == 4) && *last <= 4,
        [] => false,
    };
    // How the numbers of the networks begin, by their length.
    let begins = match digits.len() {
        13 => digits[0] == b'4',
        14 => matches!(&digits[..2], b"30" | b"36" | b"38" | b"39"),
        15 => matches!(&digits[..2], b"34" | b"37"),
        16 => (b'2'..=b'6').contains(&digits[0]),
        19 => matches!(digits[0], b'4' | b'6'),
        _ => false,
    };
    begins && is_even && groups && is_luhn(digits)
}

/// The check digit of ISO/IEC 7812.
fn is_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| {
            let digit = u32::from(digit - b'0');
            match index % 2 {
                0 => digit,
                _ if digit > 4 => digit * 2 - 9,
                _ => digit * 2,
            }
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

/// Whether a line ends between two groups.
fn is_line_end(gap: &str) -> bool {
    matches!(gap, "\n" | "\r\n")
}

fn is_ssn(digits: &[u8], lengths: &[usize], between: &[&str]) -> bool {
    let area = &digits[..3.min(digits.len())];
    lengths == [3, 2, 4]
        && [["-"; 2], [" "; 2], ["."; 2]].iter().any(|gaps| between == gaps)
        && ![*b"000", *b"666"].iter().any(|no| area == no)
        && area[0] != b'9'
        && digits[3..5] != *b"00"
        && digits[5..] != *b"0000"
}

fn is_phone(
    text: &str,
    range: &Range<usize>,
    has_plus: bool,
    digits: &[u8],
    lengths: &[usize],
    between: &[&str],
) -> bool {
    let is_gap = |gap: &&str| !gap.contains('/') || digits[0] == b'0';
    // Numbers below each other are a column, unless the first one has a plus sign.
    let is_column = !has_plus && between.iter().any(|gap| gap.contains(['\n', '\r']));
    if is_column || !between.iter().all(is_gap) {
        return false;
    }
    if has_plus {
        return (8..=15).contains(&digits.len()) && digits[0] != b'0';
    }
    if digits.starts_with(b"00") {
        return (11..=16).contains(&digits.len())
            && digits[2] != b'0'
            && lengths.iter().any(|length| *length > 1);
    }
    // North America: 555-010-0199, (555) 010-0199, 1 555 010 0199.
    let national = if lengths.first() == Some(&1) && digits[0] == b'1' { &lengths[1..] } else { lengths };
    if national == [3, 3, 4]
        && (lengths.len() == 3 || digits.len() == 11)
        && between.iter().all(|gap| ["-", ".", " ", ")", ") ", ")-"].contains(gap))
    {
        return true;
    }
    // A national number with its leading zero. A date has 8 digits, and a decimal or a book's number begins with a lone zero.
    if digits[0] == b'0'
        && lengths.len() > 1
        && (lengths[0] > 2 || lengths[0] == 2 && [" ", ") "].contains(&between[0]))
        && (lengths[0] > 2 || lengths[1] > 2 || lengths == [2; 5])
        && (9..=12).contains(&digits.len())
        && between.iter().all(|gap| *gap != ".")
    {
        return true;
    }
    (7..=15).contains(&digits.len()) && has_cue(&text[..range.start])
}

/// Whether the words before a number say that it is a telephone number.
fn has_cue(before: &str) -> bool {
    let from = (before.len().saturating_sub(CUE)..before.len()).find(|at| before.is_char_boundary(*at));
    let words = before[from.unwrap_or(before.len())..].to_ascii_lowercase();
    let words = words.trim_end_matches([' ', ':', '(', '#']);
    let linked = LINKS.iter().find_map(|link| words.strip_suffix(*link)).map(str::trim_end);
    let ends = |words: &str, cue: &str| {
        words.strip_suffix(cue).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()))
    };
    CUES.iter().any(|cue| ends(words, cue) || linked.is_some_and(|words| ends(words, cue)))
}
