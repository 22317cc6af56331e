//! The names of tools that an agent has not.

/// The names in a text that forbids tools. If its parentheses do not fit, each word is one, so that nothing in it is allowed.
pub(super) fn names(text: &str) -> Vec<&str> {
    let is_of_word = |c: char| !c.is_whitespace() && !matches!(c, ',' | '(' | ')');
    if let Some((base, part)) = text.strip_suffix(')').and_then(|text| text.split_once('('))
        && base.chars().all(is_of_word)
        && !part.contains(['(', ')'])
    {
        return vec![text];
    }
    text.split(|c| !is_of_word(c)).filter(|name| !name.is_empty()).collect()
}

/// Whether there can be a name that both have, of which each can have `*` or `?`.
pub(super) fn overlap(a: &str, b: &str) -> bool {
    let (begin_a, begin_b) = (a.split(['*', '?']).next(), b.split(['*', '?']).next());
    match (begin_a.filter(|begin| *begin != a), begin_b.filter(|begin| *begin != b)) {
        (None, None) => a == b,
        (Some(begin), None) => b.starts_with(begin),
        (None, Some(begin)) => a.starts_with(begin),
        (Some(begin_a), Some(begin_b)) => begin_a.starts_with(begin_b) || begin_b.starts_with(begin_a),
    }
}
