//! Personal data of digits: payment cards, social security numbers and telephone numbers.

use std::ops::Range;

use super::PiiKind;

/// How many bytes before a number can say that it is a telephone number.
pub(super) const CUE: usize = 24;

/// The most groups of digits that one number has.
const GROUPS: usize = 8;

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
pub(super) fn is_separator(byte: u8) -> bool {
    b" ().-/".contains(&byte)
}

/// Calls `add` with what is found.
pub(super) fn find(text: &str, add: &mut impl FnMut(PiiKind, Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            let run = run_at(bytes, at);
            at = run.last().map_or(at + 1, |group| group.end);
            in_run(text, &run, add);
        } else {
            at += 1;
        }
    }
}

/// The groups of digits from here on, with at most two separators between two of them.
fn run_at(bytes: &[u8], mut at: usize) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    loop {
        let end = (at..bytes.len()).find(|end| !bytes[*end].is_ascii_digit()).unwrap_or(bytes.len());
        groups.push(at..end);
        let next = (end..bytes.len()).find(|next| !is_separator(bytes[*next])).unwrap_or(bytes.len());
        if next == bytes.len() || !bytes[next].is_ascii_digit() || next - end > 2 {
            return groups;
        }
        at = next;
    }
}

fn in_run(text: &str, run: &[Range<usize>], add: &mut impl FnMut(PiiKind, Range<usize>)) {
    let bytes = text.as_bytes();
    let mut first = 0;
    // A telephone number begins where the run does, or behind another number that was found.
    let mut begun = 0;
    while first < run.len() {
        let most = (first + GROUPS).min(run.len());
        let found = (first..most).rev().find_map(|last| {
            let groups = &run[first..=last];
            let start = begin_of(bytes, groups);
            let end = groups[groups.len() - 1].end;
            if !is_apart(text, start, end) {
                return None;
            }
            let is_begin = first == begun;
            kind_of(text, start..end, groups, is_begin).map(|kind| (kind, start..end, last))
        });
        first = match found {
            Some((kind, range, last)) => {
                add(kind, range);
                begun = last + 1;
                begun
            }
            None => first + 1,
        };
    }
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
    let is_even = between.windows(2).all(|pair| pair[0] == pair[1])
        && between.iter().all(|gap| ["-", " "].contains(gap));
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

fn is_ssn(digits: &[u8], lengths: &[usize], between: &[&str]) -> bool {
    let area = &digits[..3.min(digits.len())];
    lengths == [3, 2, 4]
        && (between == ["-", "-"] || between == [" ", " "])
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
    if !between.iter().all(is_gap) {
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
