//! The patterns in `tools: { time: [get_*] }`.

/// Whether a pattern takes a name, as in the runtime's `ToolFilter`: `*` is any text, `?` one character.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The last `*`, and how much of the name it takes so far.
    let mut star: Option<(usize, usize)> = None;
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[of] => {
                at += 1;
                of += 1;
            }
            _ => match &mut star {
                Some((begin, taken)) => {
                    *taken += 1;
                    (at, of) = (*begin + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wildmatch::WildMatch;

    use super::matches;

    proptest! {
        #[test]
        fn a3_a_glob_takes_what_the_runtimes_takes(pattern in "[ab*?]{0,6}", name in "[ab]{0,7}") {
            prop_assert_eq!(matches(&pattern, &name), WildMatch::new(&pattern).matches(&name));
        }
    }

    /// The examples of the runtime's `ToolFilter`, and more.
    #[test]
    fn a3_a_pattern_takes_what_the_runtime_takes() {
        for (pattern, name, taken) in [
            ("get_*", "get_time", true),
            ("get_*", "get_", true),
            ("get_*", "forget_time", false),
            ("conver?", "convert", true),
            ("conver?", "converts", false),
            ("conver?", "conver", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("*a*b*", "xxaxbxabx", true),
            ("*ab", "aab", true),
            ("a**?c", "abc", true),
            ("a**?c", "ac", false),
            ("?", "ü", true),
        ] {
            assert_eq!(matches(pattern, name), taken, "{pattern} {name}");
        }
    }
}
