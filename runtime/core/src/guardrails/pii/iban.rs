//! International bank account numbers (ISO 13616).

use std::ops::Range;

use super::PiiKind;

/// The characters of the longest one, without spaces.
const LONGEST: usize = 34;
const SHORTEST: usize = 15;

/// The most bytes of one with its spaces, and the byte after it.
const REACH: usize = 2 * LONGEST;

/// Whether a byte can be in one, after the first four.
fn in_iban(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}

/// Whether one can begin here, as far as the text goes: two letters and two digits.
fn can_begin(bytes: &[u8]) -> bool {
    let form: [fn(&u8) -> bool; 4] =
        [u8::is_ascii_uppercase, u8::is_ascii_uppercase, u8::is_ascii_digit, u8::is_ascii_digit];
    bytes.iter().zip(form).all(|(byte, fits)| fits(byte))
}

/// A search that goes on where it was when more of the text is there.
#[derive(Default)]
pub(super) struct Accounts {
    /// What begins before here is found.
    pub(super) at: usize,
}

impl Accounts {
    /// Calls `add` with each match. `is_end`: nothing follows the text.
    pub(super) fn search(&mut self, text: &str, is_end: bool, add: &mut impl FnMut(PiiKind, Range<usize>)) {
        let bytes = text.as_bytes();
        while self.at < bytes.len() {
            if self.at > 0 && bytes[self.at - 1].is_ascii_alphanumeric() {
                self.at += 1;
                continue;
            }
            if !is_end && can_go_on(&bytes[self.at..]) {
                return;
            }
            let large = if can_begin(&bytes[self.at..]) { end_of(bytes, self.at) } else { None };
            match large.or_else(|| end_of_small(bytes, self.at)) {
                Some(end) => {
                    add(PiiKind::Iban, self.at..end);
                    self.at = end;
                }
                None => self.at += 1,
            }
        }
    }
}

/// Whether what begins here may go on behind the end of the text.
fn can_go_on(rest: &[u8]) -> bool {
    let is_large = rest.len() < REACH
        && can_begin(rest)
        && rest.iter().all(|byte| in_iban(*byte))
        && !rest.windows(2).any(|pair| pair == b"  ");
    let is_small =
        rest.len() <= LONGEST && rest[0].is_ascii_lowercase() && rest.iter().all(u8::is_ascii_alphanumeric);
    is_large || is_small
}

/// The end of the longest one that begins here.
fn end_of(bytes: &[u8], start: usize) -> Option<usize> {
    let mut compact = Vec::new();
    let mut longest = None;
    for (index, byte) in bytes.iter().enumerate().skip(start) {
        let is_second_space = *byte == b' ' && bytes[index - 1] == b' ';
        if !in_iban(*byte) || is_second_space || compact.len() == LONGEST {
            break;
        }
        if *byte == b' ' {
            continue;
        }
        compact.push(*byte);
        let is_end = bytes.get(index + 1).is_none_or(|next| !next.is_ascii_alphanumeric());
        if is_end && compact.len() >= SHORTEST && is_checked(&compact) {
            longest = Some(index + 1);
        }
    }
    longest
}

/// The end of one in small letters, without spaces, that begins here.
fn end_of_small(bytes: &[u8], start: usize) -> Option<usize> {
    if !bytes[start].is_ascii_lowercase() {
        return None;
    }
    let rest = &bytes[start..bytes.len().min(start + LONGEST + 1)];
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let compact = rest[..length].to_ascii_uppercase();
    let fits = (SHORTEST..=LONGEST).contains(&length) && can_begin(&compact) && is_checked(&compact);
    fits.then_some(start + length)
}

/// The check of ISO 7064: the number, with its first four characters at its end and letters as 10 to 35, is 1 modulo 97.
fn is_checked(compact: &[u8]) -> bool {
    let (begin, rest) = compact.split_at(4);
    let rest_of = |sum: u32, byte: &u8| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        _ => (sum * 100 + u32::from(byte - b'A') + 10) % 97,
    };
    rest.iter().chain(begin).fold(0, rest_of) == 1
}
