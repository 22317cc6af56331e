//! The texts with which the matches of a pattern begin.

use std::collections::BTreeSet;

/// The most beginnings of one pattern, and the most characters of a beginning.
const MOST: usize = 512;
const LONGEST_BEGINNING: usize = 14;

/// A begin of a match, and whether what follows in the pattern follows it directly.
type Begin = (String, bool);

/// The texts with one of which each match of the pattern begins. `None` if it can begin with anything.
///
/// It knows what the patterns of signs are made of: characters, classes, groups, alternatives and repetitions.
pub(super) fn beginnings(pattern: &str) -> Option<BTreeSet<String>> {
    let mut rest = pattern;
    let all: BTreeSet<_> = alternatives(&mut rest).into_iter().map(|(begin, _)| begin).collect();
    let is_redundant = |begin: &String| {
        let mut shorter = (1..begin.len()).filter(|end| begin.is_char_boundary(*end));
        shorter.any(|end| all.contains(&begin[..end]))
    };
    let is_known = rest.is_empty() && !all.contains("");
    is_known.then(|| all.iter().filter(|begin| !is_redundant(begin)).cloned().collect())
}

fn alternatives(rest: &mut &str) -> Vec<Begin> {
    let mut all = sequence(rest);
    while let Some(after) = rest.strip_prefix('|') {
        *rest = after;
        all.extend(sequence(rest));
    }
    all.sort();
    all.dedup();
    all
}

fn sequence(rest: &mut &str) -> Vec<Begin> {
    let mut all = vec![(String::new(), true)];
    while !rest.is_empty() && !rest.starts_with(['|', ')']) {
        let next = repeated(rest);
        let open = all.iter().filter(|(_, is_open)| *is_open).count();
        // Alternatives at the begin of the pattern are the fewest that there can be.
        if all.len() > 1 && all.len() - open + open * next.len() > MOST {
            for (_, is_open) in &mut all {
                *is_open = false;
            }
        }
        all = all.into_iter().flat_map(|begin| followed(begin, &next)).collect();
        all.sort();
        all.dedup();
    }
    all
}

fn followed((begin, is_open): Begin, next: &[Begin]) -> Vec<Begin> {
    if !is_open || begin.chars().count() >= LONGEST_BEGINNING {
        return vec![(begin, false)];
    }
    next.iter().map(|(text, is_open)| (format!("{begin}{text}"), *is_open)).collect()
}

/// One part of a sequence, with the sign of its repetition.
fn repeated(rest: &mut &str) -> Vec<Begin> {
    let mut once = single(rest);
    let closed = |all: Vec<Begin>| all.into_iter().map(|(text, _)| (text, false)).collect::<Vec<_>>();
    if let Some(after) = rest.strip_prefix('?') {
        *rest = after;
        once.push((String::new(), true));
    } else if let Some(after) = rest.strip_prefix('+') {
        *rest = after;
        once = closed(once);
    } else if let Some(after) = rest.strip_prefix('*') {
        *rest = after;
        once = closed(once);
        once.push((String::new(), true));
    } else if let Some((times, after)) = rest.strip_prefix('{').and_then(|after| after.split_once('}')) {
        *rest = after;
        once = closed(once);
        if times.starts_with('0') {
            once.push((String::new(), true));
        }
    }
    once
}

fn single(rest: &mut &str) -> Vec<Begin> {
    let anything = || vec![(String::new(), false)];
    let nothing = || vec![(String::new(), true)];
    let Some(c) = next_char(rest) else { return anything() };
    match c {
        '(' => {
            if let Some(after) = rest.strip_prefix("?:") {
                *rest = after;
            }
            let all = alternatives(rest);
            next_char(rest);
            all
        }
        '[' => class(rest),
        '^' | '$' => nothing(),
        '.' => anything(),
        '\\' => match next_char(rest) {
            Some('b') => nothing(),
            Some('n') => vec![("\n".to_owned(), true)],
            Some(c) if !c.is_alphanumeric() => vec![(c.to_string(), true)],
            _ => anything(),
        },
        c => vec![(c.to_string(), true)],
    }
}

/// The characters of a class; a class of all but some is anything.
fn class(rest: &mut &str) -> Vec<Begin> {
    let is_without = rest.starts_with('^');
    let mut all = Vec::new();
    while let Some(c) = next_char(rest) {
        match c {
            ']' => break,
            '\\' => all.extend(next_char(rest)),
            c => all.push(c),
        }
    }
    if is_without {
        return vec![(String::new(), false)];
    }
    all.into_iter().map(|c| (c.to_string(), true)).collect()
}

fn next_char(rest: &mut &str) -> Option<char> {
    let c = rest.chars().next()?;
    *rest = &rest[c.len_utf8()..];
    Some(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_a_match_begins_with_one_of_the_beginnings() {
        let of = |pattern: &str| beginnings(pattern).map(|all| all.into_iter().collect::<Vec<_>>().join(","));
        assert_eq!(of(r"\b(drop|set aside)( \w+){0,3} (a|b)\b").unwrap(), "drop ,set aside ");
        assert_eq!(of(r"\bfrom now,? you|@ai\b").unwrap(), "@ai,from now you,from now, you");
        assert_eq!(
            of(r"(^|\n|[#\-] ?|\[)(a|b) ?:").unwrap(),
            "\na :,\na:,\nb :,\nb:,# a :,# a:,# b :,# b:,#a :,#a:,#b :,#b:,- a :,- a:,- b :,- b:,-a :,-a:,-b :,-b:,[a :,[a:,[b :,[b:,a :,a:,b :,b:"
        );
        assert_eq!(of(r"-{3,} ?end").unwrap(), "-");
        assert_eq!(of(r"\$\{?system").unwrap(), "$system,${system");
        assert_eq!(of(r"\w+ a"), None);
        assert_eq!(of(r"(a|) ?.b"), None);
    }
}
