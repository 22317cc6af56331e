//! Texts as the full-text search reads them.

use std::borrow::Cow;

use onionskin_core::memory::is_unspaced;

/// A text as it is indexed: each letter of a language without spaces is a word.
pub(crate) fn indexed(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unspaced) {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if is_unspaced(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    Cow::Owned(spaced)
}

/// The search for texts with all of these words.
pub(crate) fn all_words(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" AND ")
}

/// The search for texts with this word, in which nothing has a meaning.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{}\"", indexed(word).replace('"', "\"\""))
}
