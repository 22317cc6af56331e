//! The calls that the filter of a hook names.

use crate::item::Item;
use crate::suggest;

/// The sources of tools.
const SOURCES: &[&str] = &["mcp", "server", "function", "agent", "runtime"];

/// A target in the filter of a hook: `for: [add_one, server(time)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A tool, a child, a toolbox or a built-in tool of the agent, by its name, or as its list has it: `tools.rs:add_one`.
    Name(String),
    /// `server(time)`: the tools of a server.
    Server(String),
    /// `source(mcp)`: the tools of a source.
    Source(String),
    /// `tool(lookup)`: a tool that is known at run time only.
    Tool(String),
    /// `everywhere`: all calls, and those of the agents below.
    Everywhere,
}

impl Target {
    /// `tool(lookup)`; none if a card cannot have the name.
    pub fn tool(name: &str) -> Option<Self> {
        is_name(name).then(|| Self::Tool(name.to_owned()))
    }

    /// Reads a target.
    ///
    /// # Errors
    /// Returns what to write instead.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let wanted = || {
            format!(
                "`{text}` names no calls: a filter names tools (`add_one`), `server(time)`, `source(mcp)`, or `tool(lookup)` for a \
                 tool that is added when the agent is built"
            )
        };
        if text == "everywhere" {
            return Ok(Self::Everywhere);
        }
        // The file of an item may have any characters.
        if text.contains(':') && Item::read(text, "tools.rs:add_one").is_ok() {
            return Ok(Self::Name(text.to_owned()));
        }
        let Some((of, rest)) = text.split_once('(') else {
            return if is_name(text) { Ok(Self::Name(text.to_owned())) } else { Err(wanted()) };
        };
        let name = rest.strip_suffix(')').map(str::trim).filter(|name| is_name(name)).ok_or_else(wanted)?;
        match of.trim() {
            "server" => Ok(Self::Server(name.to_owned())),
            "tool" => Ok(Self::Tool(name.to_owned())),
            "source" if SOURCES.contains(&name) => Ok(Self::Source(name.to_owned())),
            "source" => Err(suggest::unknown("source", name, SOURCES)),
            _ => Err(wanted()),
        }
    }
}

/// Whether a filter can have the name.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()[]{},".contains(c))
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn h2_a_filter_names_calls() {
        assert_eq!(Target::read("add_one"), Ok(Target::Name("add_one".to_owned())));
        assert_eq!(Target::read("shell.execute"), Ok(Target::Name("shell.execute".to_owned())));
        assert_eq!(Target::read("server( time )"), Ok(Target::Server("time".to_owned())));
        assert_eq!(Target::read("source(mcp)"), Ok(Target::Source("mcp".to_owned())));
        assert_eq!(Target::read("my tools.rs:run"), Ok(Target::Name("my tools.rs:run".to_owned())));
        assert_eq!(Target::read("everywhere"), Ok(Target::Everywhere));
        assert_eq!(Target::read("tool(lookup)"), Ok(Target::Tool("lookup".to_owned())));
        assert_eq!(
            Target::read("source(functon)").unwrap_err(),
            "unknown source `functon`; did you mean `function`?"
        );
        for wrong in ["", "a b", "server(", "server()", "server(a b)", "hook(a)", "(a)", "[a]"] {
            assert!(Target::read(wrong).is_err(), "{wrong}");
        }
    }
}
