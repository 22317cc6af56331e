//! Texts as the full-text search reads them.

use std::borrow::Cow;

/// Letters of languages that have no spaces between words. Each of them is a word for the search, and a word of a query is
/// a sequence of them.
fn is_unspaced(letter: char) -> bool {
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

/// A text as it is indexed.
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

/// The search for texts with all of these words. Nothing in a word has a meaning.
pub(crate) fn all_words(words: &[String]) -> String {
    quoted(words).join(" AND ")
}

/// The search for texts with at least one of these words. Nothing in a word has a meaning.
pub(crate) fn any_word<'w>(words: impl IntoIterator<Item = &'w String>) -> String {
    quoted(words).join(" OR ")
}

fn quoted<'w>(words: impl IntoIterator<Item = &'w String>) -> Vec<String> {
    let words = words.into_iter().map(|word| indexed(word).replace('"', "\"\""));
    words.map(|word| format!("\"{word}\"")).collect()
}
