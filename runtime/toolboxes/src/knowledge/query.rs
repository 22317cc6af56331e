//! Turns the words of a model into an expression of FTS5, in which none of them is syntax.

/// The most words of a query that are used.
const WORDS: usize = 32;

/// The most characters of a word that are used.
const WORD: usize = 200;

/// An expression that finds documents with any of the words; none without words.
///
/// Each word is quoted, so FTS5 takes all of it as text. Control characters separate words as spaces do, because the one that
/// ends a C string would end the expression. ASCII punctuation separates words too, quotes included, except an apostrophe
/// within a word.
pub(super) fn expression(query: &str) -> Option<String> {
    let separates = |c: char| c.is_whitespace() || c.is_control() || (c.is_ascii_punctuation() && c != '\'');
    let words = query.split(separates).filter(|word| word.contains(char::is_alphanumeric)).take(WORDS);
    let quoted = words.map(|word| format!("\"{}\"", word.chars().take(WORD).collect::<String>()));
    Some(quoted.collect::<Vec<_>>().join(" OR ")).filter(|expression| !expression.is_empty())
}
