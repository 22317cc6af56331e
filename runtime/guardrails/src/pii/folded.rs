//! A text in the form in which it is searched: other digits, letters, blanks and hyphens are those of ASCII, and what nobody
//! sees is left out.

use onionskin_definitions::text::is_unseen;

/// A folded text, to which more can be added, and the places of its characters in the original one.
#[derive(Default)]
pub(super) struct Folded {
    pub(super) text: String,
    /// The length of the original text.
    length: usize,
    /// Places from which on the two texts have another distance: in this one, and in the original one.
    skews: Vec<(usize, usize)>,
}

impl Folded {
    pub(super) fn new(text: &str) -> Self {
        let mut folded = Self::default();
        folded.push(text);
        folded
    }

    pub(super) fn push(&mut self, text: &str) {
        for c in text.chars() {
            let (from, length) = (self.text.len(), c.len_utf8());
            match fold(c) {
                Some(c) => self.text.push(c),
                None if self.skews.last().is_none_or(|(at, _)| *at < from) => {
                    self.skews.push((from, self.length));
                }
                None => {}
            }
            self.length += length;
            if self.text.len() - from != length {
                self.skews.push((self.text.len(), self.length));
            }
        }
    }

    /// The place in the original text of what begins here.
    pub(super) fn begin(&self, at: usize) -> usize {
        let known = self.skews.partition_point(|(folded, _)| *folded <= at);
        from_skew(known.checked_sub(1).map(|known| self.skews[known]), at)
    }

    /// The place in the original text of what ends here.
    pub(super) fn end(&self, at: usize) -> usize {
        let known = self.skews.partition_point(|(folded, _)| *folded < at);
        match self.skews.get(known) {
            Some((folded, original)) if *folded == at => *original,
            _ => from_skew(known.checked_sub(1).map(|known| self.skews[known]), at),
        }
    }

    /// Forgets the first bytes. Returns how many of the original text they are.
    pub(super) fn forget(&mut self, bytes: usize) -> usize {
        let original = self.begin(bytes);
        self.text.drain(..bytes);
        self.length -= original;
        self.skews.retain(|(folded, _)| *folded > bytes);
        for skew in &mut self.skews {
            *skew = (skew.0 - bytes, skew.1 - original);
        }
        original
    }
}

fn from_skew(skew: Option<(usize, usize)>, at: usize) -> usize {
    let (folded, original) = skew.unwrap_or_default();
    original + (at - folded)
}

/// The character of ASCII that it is read as; `None` if nobody sees it.
fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c);
    }
    Some(match c {
        // Blanks of other widths.
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2028}' | '\u{2029}' | '\u{85}' => '\n',
        '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{2024}' | '\u{fe52}' => '.',
        // Forms of full width.
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from),
        _ if is_unseen(c) => return None,
        _ => digit(c).unwrap_or(c),
    })
}

/// The digit that a character of another script, or of another style, is.
fn digit(c: char) -> Option<char> {
    // The zeros of the scripts that people write telephone numbers in, and of mathematical styles.
    const ZEROS: [u32; 10] =
        [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1_d7ce, 0x1_d7d8, 0x1_d7e2, 0x1_d7ec, 0x1_d7f6];
    let code = u32::from(c);
    let of = |zero: &u32| code.checked_sub(*zero).filter(|digit| *digit < 10);
    ZEROS.iter().find_map(of).and_then(|digit| char::from_digit(digit, 10))
}

#[cfg(test)]
mod tests {
    use super::Folded;

    #[test]
    fn a9_places_of_a_folded_text_are_those_of_the_original() {
        let text = "a\u{200b}\u{ff11}\u{a0}é\u{200b}\u{200b}b\u{200b}";
        let mut folded_text = Folded::new(text);
        assert_eq!(folded_text.text, "a1 éb");
        let places = |folded: &Folded, at: usize| (folded.end(at), folded.begin(at));
        // Behind `a`: before and behind what nobody sees.
        assert_eq!(places(&folded_text, 1), (1, 4));
        assert_eq!(places(&folded_text, 2), (7, 7));
        assert_eq!(places(&folded_text, 3), (9, 9));
        assert_eq!(places(&folded_text, 5), (11, 17));
        assert_eq!(places(&folded_text, 6), (18, text.len()));
        assert_eq!(folded_text.forget(3), 9);
        assert_eq!(places(&folded_text, 2), (2, 8));
        folded_text.push("\u{ff12}c");
        assert_eq!((folded_text.text.as_str(), folded_text.begin(4)), ("éb2c", 15));
    }
}
