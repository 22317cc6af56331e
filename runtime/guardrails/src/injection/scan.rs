//! The search for signs in a text, part by part.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex_lite::Regex;

use super::super::pace::PART;
use super::encoded::decoded;
use super::literals::beginnings;
use super::readings::readings;
use super::signs::signs;

/// The most bytes of one sign.
const LONGEST_SIGN: usize = 1024;

/// A pattern is slow, so it runs only where one of its beginnings occurs.
struct Patterns {
    /// Each matches a character and the sign behind it.
    all: Vec<(Regex, u16)>,
    beginnings: AhoCorasick,
    /// The patterns of each beginning.
    owners: Vec<Vec<usize>>,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(Patterns::new);

impl Patterns {
    /// A pattern that cannot be read is found by a test.
    fn new() -> Option<Self> {
        let mut all = Vec::new();
        let mut owners: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, (sign, weight)) in signs().into_iter().enumerate() {
            all.push((Regex::new(&format!("^(?s:.)(?:{sign})")).ok()?, weight));
            for beginning in beginnings(&sign)? {
                owners.entry(beginning).or_default().push(index);
            }
        }
        let (words, owners): (Vec<_>, Vec<_>) = owners.into_iter().unzip();
        Some(Self { all, beginnings: AhoCorasick::new(words).ok()?, owners })
    }
}

/// The signs that were found so far. Each counts once.
#[derive(Default)]
pub(super) struct Scan {
    /// One bit for each sign.
    counted: u64,
    weight: u16,
}

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'t> {
    text: &'t str,
    is_first: bool,
    is_last: bool,
}

impl Chunk<'_> {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }
}

impl Scan {
    pub(super) fn weight(&self) -> u16 {
        self.weight
    }

    pub(super) fn read(&mut self, chunk: Chunk<'_>) {
        let Some(patterns) = &*PATTERNS else { return };
        // The begin of a text is that of a line, and there is a character before each sign.
        let before = if chunk.is_first { "\n\n" } else { "\u{2026}" };
        let after = if chunk.is_last { "" } else { "\u{2026}" };
        for reading in readings(chunk.text) {
            self.find_in(patterns, &format!("{before}{reading}{after}"));
        }
        for reading in decoded(chunk.text).iter().flat_map(|text| readings(text)) {
            self.find_in(patterns, &format!("\n\n{reading}"));
        }
    }

    fn find_in(&mut self, patterns: &Patterns, reading: &str) {
        let mut tried = [usize::MAX; u64::BITS as usize];
        for found in patterns.beginnings.find_overlapping_iter(reading) {
            let start = found.start();
            for &index in &patterns.owners[found.pattern().as_usize()] {
                if self.counted & 1 << index != 0 || tried[index] == start || start == 0 {
                    continue;
                }
                tried[index] = start;
                let (pattern, weight) = &patterns.all[index];
                let end = reading.floor_char_boundary(reading.len().min(start + LONGEST_SIGN));
                if pattern.is_match(&reading[reading.floor_char_boundary(start - 1)..end]) {
                    self.counted |= 1 << index;
                    self.weight += weight;
                }
            }
        }
    }
}

/// The parts of a text. Two parts beside each other have as much in common as a sign can have.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let end =
            if text.len() - start <= PART + LONGEST_SIGN { text.len() } else { word_end(text, start + PART) };
        let is_last = end == text.len();
        next = (!is_last).then(|| word_end(text, end - LONGEST_SIGN));
        Some(Chunk { text: &text[start..end], is_first: start == 0, is_last })
    })
}

/// The first space near this place, or the place.
fn word_end(text: &str, at: usize) -> usize {
    let from = text.floor_char_boundary(at);
    let near = text.floor_char_boundary(text.len().min(from + 64));
    text[from..near].find(char::is_whitespace).map_or(from, |space| from + space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_each_sign_is_a_pattern_with_beginnings() {
        assert!(signs().len() <= u64::BITS as usize);
        for (sign, weight) in &signs() {
            assert!(Regex::new(sign).is_ok(), "{sign}");
            assert!((1..=10).contains(weight), "{sign}");
            let beginnings = beginnings(sign).expect(sign);
            assert!(!beginnings.is_empty() && beginnings.iter().all(|begin| !begin.is_empty()), "{sign}");
        }
        assert!(PATTERNS.is_some());
    }

    #[test]
    fn a9_parts_of_a_text_cover_it() {
        for text in ["a".repeat(20_000), "a b ".repeat(5_000), "\u{4e2d}".repeat(7_000), String::new()] {
            let parts: Vec<_> = chunks(&text).collect();
            assert!(parts[0].is_first && parts[parts.len() - 1].is_last);
            let overlap: usize = parts.iter().map(|part| part.text.len()).sum::<usize>() - text.len();
            assert!(overlap <= (LONGEST_SIGN + 64) * (parts.len() - 1));
            assert!(parts.iter().all(|part| part.text.len() <= PART + LONGEST_SIGN + 128));
        }
    }
}
