//! The filter of an agent for the tools of a server.

use wildmatch::WildMatch;

/// The filter of an agent for the tools of a server: patterns for the server's own names (`get_time`, and not
/// `time__get_time`), of which a name has to match one. `*` matches any text, `?` one character, everything else itself.
/// The whole name has to match.
///
/// `agent!` writes the patterns in `tools: { time: [get_*] }`. The runtime applies them to what a
/// [`ToolServer`](super::servers::ToolServer) provides.
///
/// ```
/// use onionskin::servers::ToolFilter;
///
/// let filter = ToolFilter::new(["get_*", "conver?"]);
/// assert!(filter.takes("get_time") && filter.takes("convert"));
/// assert!(!filter.takes("forget_time") && !filter.takes("converts"));
/// assert_eq!(filter.unmatched(["get_time", "set_time"]), ["conver?"]);
/// assert!(ToolFilter::all().takes("anything"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolFilter(Option<Vec<(String, WildMatch)>>);

impl ToolFilter {
    /// A filter that takes all tools.
    pub fn all() -> Self {
        Self(None)
    }

    /// A filter that takes the tools whose names match one of these patterns. Without patterns it takes none.
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Self {
        let pattern = |text: P| (text.as_ref().to_owned(), WildMatch::new(text.as_ref()));
        Self(Some(patterns.into_iter().map(pattern).collect()))
    }

    /// Whether it takes the tool with this name, as the server names it.
    pub fn takes(&self, name: &str) -> bool {
        match &self.0 {
            None => true,
            Some(patterns) => patterns.iter().any(|(_, pattern)| pattern.matches(name)),
        }
    }

    /// Its patterns; none if it takes all.
    pub(in crate::agent) fn patterns(&self) -> Option<Vec<String>> {
        Some(self.0.as_ref()?.iter().map(|(text, _)| text.clone()).collect())
    }

    /// The patterns that match none of these names.
    pub fn unmatched<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<&str> {
        let names: Vec<_> = names.into_iter().collect();
        let is_unmatched = |pattern: &WildMatch| !names.iter().any(|name| pattern.matches(name));
        let patterns = self.0.iter().flatten();
        patterns.filter(|(_, pattern)| is_unmatched(pattern)).map(|(text, _)| text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_globs_take_whole_names() {
        let filter = ToolFilter::new(["get_*", "conver?", "exact"]);
        for (name, taken) in [("get_time", true), ("get_", true), ("convert", true), ("exact", true)]
            .into_iter()
            .chain([("forget_time", false), ("converts", false), ("exactly", false), ("", false)])
        {
            assert_eq!(filter.takes(name), taken, "{name}");
        }
        assert!(ToolFilter::new(["*"]).takes("anything"));
        assert!(!ToolFilter::new([] as [&str; 0]).takes("anything"));
    }

    #[test]
    fn a4_patterns_that_take_nothing_are_named() {
        let filter = ToolFilter::new(["get_*", "set_*"]);
        assert_eq!(filter.unmatched(["get_a", "b"]), ["set_*"]);
        assert!(ToolFilter::all().unmatched([]).is_empty());
    }
}
