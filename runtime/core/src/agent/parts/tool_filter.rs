//! The filter of an agent for the tools of a server.

use wildmatch::WildMatch;

/// The filter of an agent for the tools of a server: patterns for the server's own names (`get_time`, not
/// `time__get_time`). A whole name has to match one of them. `*` matches any text, `?` one character,
/// everything else itself.
///
/// In `agent!`, patterns are in `tools: { time: [get_*] }`. The runtime applies them to the tools of a
/// [`ToolServer`](super::servers::ToolServer). Those of `resources` are for URIs and those of `prompts` for names of
/// prompts; the server applies them.
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
    /// Creates a filter that accepts all tools.
    pub fn all() -> Self {
        Self(None)
    }

    /// Creates a filter that accepts the tools whose names match one of these patterns. Without patterns it
    /// accepts none.
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Self {
        let pattern = |text: P| (text.as_ref().to_owned(), WildMatch::new(text.as_ref()));
        Self(Some(patterns.into_iter().map(pattern).collect()))
    }

    /// Whether it accepts the tool with this name of the server.
    pub fn takes(&self, name: &str) -> bool {
        match &self.0 {
            None => true,
            Some(patterns) => patterns.iter().any(|(_, pattern)| pattern.matches(name)),
        }
    }

    /// Its patterns; `None` if it accepts all tools.
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
