//! From what a model searches for to an expression of FTS5, in which nothing of it is syntax.

/// No more words of a query are looked for.
const WORDS: usize = 32;

/// No more characters of a word are looked for.
const WORD: usize = 200;

/// An expression that finds what holds any of the words; none if there is no word.
///
/// Each word stands in quotes: to FTS5 it is then text, whatever is in it. A control character separates words as space
/// does, because the one that ends a C string would end the expression. So does what ASCII has of punctuation, quotes
/// included, but for the apostrophe in a word.
pub(super) fn expression(query: &str) -> Option<String> {
    let separates = |c: char| c.is_whitespace() || c.is_control() || (c.is_ascii_punctuation() && c != '\'');
    let words = query.split(separates).filter(|word| word.contains(char::is_alphanumeric)).take(WORDS);
    let quoted = words.map(|word| format!("\"{}\"", word.chars().take(WORD).collect::<String>()));
    Some(quoted.collect::<Vec<_>>().join(" OR ")).filter(|expression| !expression.is_empty())
}
