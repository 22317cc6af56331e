//! Texts that a program, a model or a person searches for in a store.

/// A text to search for is too long.
///
/// ```
/// use onionskin::sessions::{SearchTooLong, SessionQuery, SessionStoreError};
///
/// let mut query = SessionQuery::default();
/// query.text = Some("lamp ".repeat(SearchTooLong::MAX_CHARACTERS));
/// assert!(matches!(query.words(), Err(SessionStoreError::SearchTooLong(_))));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the text to search for is too long: use at most {} different words and {} characters",
    Self::MAX_WORDS,
    Self::MAX_CHARACTERS
)]
#[non_exhaustive]
pub struct SearchTooLong;

impl SearchTooLong {
    /// The maximum number of characters.
    pub const MAX_CHARACTERS: usize = 1_000;
    /// The maximum number of different words.
    pub const MAX_WORDS: usize = 64;
}

/// The different words of a text to search for.
pub(crate) fn bounded(
    text: &str,
    words: impl IntoIterator<Item = String>,
) -> Result<Vec<String>, SearchTooLong> {
    if text.chars().nth(SearchTooLong::MAX_CHARACTERS).is_some() {
        return Err(SearchTooLong);
    }
    let words = distinct(words);
    if words.len() > SearchTooLong::MAX_WORDS { Err(SearchTooLong) } else { Ok(words) }
}

/// Each of these words once, in their order.
pub(crate) fn distinct(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut different = Vec::new();
    for word in words {
        if !different.contains(&word) {
            different.push(word);
        }
    }
    different
}

/// Whether this is a letter of a language that has no spaces between words, such as Chinese, Japanese and Thai. An index of
/// words has each of these letters as a word of its own.
///
/// ```
/// use onionskin::memory::is_unspaced;
///
/// assert!(is_unspaced('\u{8336}'));
/// assert!(!is_unspaced('t'));
/// ```
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}'         // Thai, Lao
        | '\u{1000}'..='\u{109f}'     // Burmese
        | '\u{1780}'..='\u{17ff}'     // Khmer
        | '\u{3040}'..='\u{30ff}'     // Hiragana, Katakana
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'     // Chinese characters
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}
