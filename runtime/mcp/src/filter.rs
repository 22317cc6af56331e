//! The filter of an agent for the tools of a server: globs over the server's own names.

use wildmatch::WildMatch;

/// The patterns of one agent for one server. `*` matches any text, `?` one character.
pub(super) struct Filter(Vec<(&'static str, WildMatch)>);

impl Filter {
    pub(super) fn new(patterns: &'static [&'static str]) -> Self {
        Self(patterns.iter().map(|pattern| (*pattern, WildMatch::new(pattern))).collect())
    }

    pub(super) fn takes(&self, name: &str) -> bool {
        self.0.iter().any(|(_, pattern)| pattern.matches(name))
    }

    /// The patterns that match none of these names.
    pub(super) fn idle<'s, 'n>(
        &'s self,
        names: impl Iterator<Item = &'n str> + Clone + 's,
    ) -> impl Iterator<Item = &'static str> + 's {
        let idle = move |pattern: &WildMatch| !names.clone().any(|name| pattern.matches(name));
        self.0.iter().filter(move |(_, pattern)| idle(pattern)).map(|(text, _)| *text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_globs_take_whole_names() {
        let filter = Filter::new(&["get_*", "conver?", "exact"]);
        for (name, taken) in [("get_time", true), ("get_", true), ("convert", true), ("exact", true)]
            .into_iter()
            .chain([("forget_time", false), ("converts", false), ("exactly", false), ("", false)])
        {
            assert_eq!(filter.takes(name), taken, "{name}");
        }
        assert!(Filter::new(&["*"]).takes("anything"));
        assert!(!Filter::new(&[]).takes("anything"));
    }

    #[test]
    fn a4_patterns_that_take_nothing_are_named() {
        let filter = Filter::new(&["get_*", "set_*"]);
        assert_eq!(filter.idle(["get_a", "b"].into_iter()).collect::<Vec<_>>(), ["set_*"]);
    }
}
