//! International bank account numbers (ISO 13616).

use std::ops::Range;

use super::PiiKind;

/// The characters of the longest one, without spaces.
const LONGEST_IBAN: usize = 34;
const SHORTEST_IBAN: usize = 15;

/// The most bytes of one with what is between its groups, and the bytes after it.
const REACH: usize = 3 * LONGEST_IBAN;

/// The characters of a number of each country. One in another form than groups of capital letters has to have them.
const LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 \
    FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 \
    MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 TN24 \
    TR26 UA29 VA22 VG24 XK20";

/// Whether an IBAN can begin here: two letters and two digits, or their prefix at the end of the text.
fn can_begin(bytes: &[u8]) -> bool {
    let form: [fn(&u8) -> bool; 4] =
        [u8::is_ascii_alphabetic, u8::is_ascii_alphabetic, u8::is_ascii_digit, u8::is_ascii_digit];
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
            let rest = &bytes[self.at..];
            let is_inside = self.at > 0 && bytes[self.at - 1].is_ascii_alphanumeric();
            if is_inside || !can_begin(rest) {
                self.at += 1;
                continue;
            }
            if !is_end && reach(rest) == rest.len() && rest.len() < REACH {
                return;
            }
            match end_of(rest) {
                Some(length) => {
                    add(PiiKind::Iban, self.at..self.at + length);
                    self.at += length;
                }
                None => self.at += 1,
            }
        }
    }
}

/// How many bytes can be of one that begins here.
fn reach(rest: &[u8]) -> usize {
    let mut before = 0;
    let ends = |byte: &u8| {
        let is_gap = is_gap(before, *byte);
        before = *byte;
        !is_gap && !byte.is_ascii_alphanumeric()
    };
    rest.iter().take(REACH).position(ends).unwrap_or(rest.len().min(REACH))
}

/// Whether a byte is one of those between two groups, after this one: a space, a hyphen, a dot, or the end of a line.
fn is_gap(before: u8, byte: u8) -> bool {
    match byte {
        b' ' | b'-' | b'.' | b'\r' => before.is_ascii_alphanumeric(),
        b'\n' => before.is_ascii_alphanumeric() || before == b'\r',
        _ => false,
    }
}

/// The length of the longest one that begins here.
fn end_of(rest: &[u8]) -> Option<usize> {
    let rest = &rest[..reach(rest)];
    let mut compact = Vec::new();
    let (mut is_plain, mut longest) = (true, None);
    for (index, byte) in rest.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            is_plain &= *byte == b' ';
            continue;
        }
        if compact.len() == LONGEST_IBAN {
            break;
        }
        is_plain &= !byte.is_ascii_lowercase();
        compact.push(byte.to_ascii_uppercase());
        let is_end = rest.get(index + 1).is_none_or(|next| !next.is_ascii_alphanumeric());
        let fits = if is_plain { compact.len() >= SHORTEST_IBAN } else { is_of_its_country(&compact) };
        if is_end && fits && is_checked(&compact) {
            longest = Some(index + 1);
        }
    }
    longest
}

/// Whether it has the length of its country's IBANs.
fn is_of_its_country(compact: &[u8]) -> bool {
    let known = LENGTHS
        .split_ascii_whitespace()
        .find(|known| known.as_bytes()[..2] == compact[..2.min(compact.len())]);
    known.is_some_and(|known| known[2..].parse() == Ok(compact.len()))
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
