//! The letters of a text, one after the other.

use std::ops::Range;

use rhai::{INT, ImmutableString};

/// Iterates over letters. The language's own keeps a copy of them that cannot be measured.
#[derive(Debug, Clone)]
pub(super) struct Chars {
    text: ImmutableString,
    rest: Range<usize>,
}

impl Chars {
    /// At most `len` letters from the one at `start`, counted from the end if it is negative.
    pub(super) fn new(text: ImmutableString, start: INT, len: INT) -> Self {
        let count = |number: INT| usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
        let skipped =
            if start < 0 { text.chars().count().saturating_sub(count(start)) } else { count(start) };
        let mut places = text.char_indices().map(|(at, _)| at).skip(skipped).chain([text.len()]);
        let begin = places.next().unwrap_or(text.len());
        let end = match count(len.max(0)).checked_sub(1) {
            None => begin,
            Some(more) => places.nth(more).unwrap_or(text.len()),
        };
        let rest = begin..end;
        Self { text, rest }
    }

    /// The size of the whole text.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

impl Iterator for Chars {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let next = self.text.get(self.rest.clone())?.chars().next()?;
        self.rest.start += next.len_utf8();
        Some(next)
    }
}
