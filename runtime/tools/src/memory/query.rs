//! Which memories a search finds, and their order.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Memory, MemoryError, MemoryScope};
use crate::search::{SearchTooLong, bounded, distinct, is_unspaced};

/// Which memories [`MemoryStore::find`](super::MemoryStore::find) returns.
///
/// ```
/// use onionskin::memory::{MemoryQuery, MemoryScope};
///
/// let mut query = MemoryQuery::list(MemoryScope::user("ada", "memory"));
/// query.words = Some("tea".to_owned());
/// assert_eq!((query.skip, query.limit), (0, 50));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryQuery {
    /// The owner and the kind.
    pub scope: MemoryScope,
    /// Returns only memories with at least one of these words, the best first. `None` returns all, the newest first. At most
    /// 1,000 characters and 64 different words.
    pub words: Option<String>,
    /// The number of memories to leave out at the beginning: for the next page, those of the pages before.
    pub skip: usize,
    /// The maximum number of memories. Default: 50.
    pub limit: usize,
}

impl MemoryQuery {
    /// All memories of a scope, in pages of 50.
    pub fn list(scope: MemoryScope) -> Self {
        Self { scope, words: None, skip: 0, limit: 50 }
    }

    /// The memories of a scope with at least one of these words, in pages of 50.
    pub fn find(scope: MemoryScope, words: impl Into<String>) -> Self {
        Self { words: Some(words.into()), ..Self::list(scope) }
    }
}

/// For stores.
impl MemoryQuery {
    /// What a memory must have one of: the different words of [`words`](Self::words), in lower case. Of letters of languages
    /// without spaces ([`is_unspaced`](super::is_unspaced)), each two that are beside each other are a word. Never
    /// more than 64: the first ones. `None` if the query selects all memories.
    ///
    /// ```
    /// use onionskin::memory::{MemoryQuery, MemoryScope};
    ///
    /// let query = MemoryQuery::find(MemoryScope::shared("memory"), "Green tea, \u{7eff}\u{8336}\u{5f88}!");
    /// assert_eq!(query.terms().unwrap().unwrap(), ["green", "tea", "\u{7eff}\u{8336}", "\u{8336}\u{5f88}"]);
    /// ```
    ///
    /// # Errors
    /// Returns [`MemoryError::SearchTooLong`] for more than 1,000 characters or 64 different words.
    pub fn terms(&self) -> Result<Option<Vec<String>>, MemoryError> {
        let Some(text) = &self.words else { return Ok(None) };
        let words = bounded(text, folded(text).split_whitespace().map(str::to_owned))?;
        let mut terms = distinct(words.iter().flat_map(|word| parts(word)).flat_map(|part| pairs(&part)));
        // A sentence without spaces has about as many as letters.
        terms.truncate(SearchTooLong::MAX_WORDS);
        Ok(Some(terms))
    }

    /// The page of these memories: all of the scope, the newest first. With words, those that have more of the
    /// [terms](Self::terms) come first, and those without any are left out.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// use onionskin::memory::{Memory, MemoryQuery, MemoryScope};
    ///
    /// let scope = MemoryScope::shared("memory");
    /// let memory = |id: &str, text: &str| Memory::new(id, scope.clone(), text, SystemTime::now());
    /// let all = [memory("2", "She likes tea."), memory("1", "Green tea is dear.")];
    /// let page = MemoryQuery::find(scope.clone(), "green tea").page(&all).unwrap();
    /// assert_eq!(page[0].text, "Green tea is dear.");
    /// ```
    ///
    /// # Errors
    /// As [`terms`](Self::terms).
    pub fn page<M: Borrow<Memory>>(
        &self,
        newest_first: impl IntoIterator<Item = M>,
    ) -> Result<Vec<M>, MemoryError> {
        let memories = newest_first.into_iter();
        let Some(terms) = self.terms()? else {
            return Ok(memories.skip(self.skip).take(self.limit).collect());
        };
        let mut hits: Vec<_> =
            memories.map(|memory| (count(&terms, &memory.borrow().text), memory)).collect();
        hits.retain(|(count, _)| *count > 0);
        hits.sort_by_key(|(count, _)| Reverse(*count));
        Ok(hits.into_iter().map(|(_, memory)| memory).skip(self.skip).take(self.limit).collect())
    }
}

/// The number of the terms that a text has.
fn count(terms: &[String], text: &str) -> usize {
    let text = folded(text);
    let words: HashSet<_> = text.split_whitespace().flat_map(parts).collect();
    let has = |term: &&String| {
        if term.starts_with(is_unspaced) { text.contains(*term) } else { words.contains(*term) }
    };
    terms.iter().filter(has).count()
}

/// A text in lower case with spaces for all but letters and digits. Marks of languages without spaces, such as the tones of
/// Thai, are left out.
fn folded(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric() || !is_unspaced(*letter));
    let spaced = letters.map(|letter| if letter.is_alphanumeric() { letter } else { ' ' });
    spaced.collect::<String>().to_lowercase()
}

/// The parts of a word, each of letters of languages without spaces, or of others.
fn parts(word: &str) -> Vec<String> {
    let letters: Vec<_> = word.chars().collect();
    letters.chunk_by(|one, next| is_unspaced(*one) == is_unspaced(*next)).map(String::from_iter).collect()
}

/// Each two letters of a part of a language without spaces; the part itself of others.
fn pairs(part: &str) -> Vec<String> {
    let letters: Vec<_> = part.chars().collect();
    if letters.len() < 2 || !part.starts_with(is_unspaced) {
        return vec![part.to_owned()];
    }
    letters.windows(2).map(String::from_iter).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn a14_a_search_has_a_number_of_terms_also_without_spaces() {
        let letters: Vec<_> = ('\u{4e00}'..).take(SearchTooLong::MAX_CHARACTERS).collect();
        let scope = MemoryScope::shared("memory");
        let terms = |text: String| MemoryQuery::find(scope.clone(), text).terms().unwrap().unwrap();
        let of_paragraph = terms(letters.iter().collect());
        assert_eq!(of_paragraph.len(), SearchTooLong::MAX_WORDS);
        assert_eq!(of_paragraph.last().unwrap(), "\u{4e3f}\u{4e40}");
        // Words with an ending without spaces too.
        let words: Vec<_> =
            (0..SearchTooLong::MAX_WORDS).map(|word| format!("{word}\u{306e}\u{3067}")).collect();
        assert_eq!(terms(words.join(" ")).len(), SearchTooLong::MAX_WORDS);
    }
}
