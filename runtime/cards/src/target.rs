//! The calls that the filter of a hook names.

use onionskin_vocabulary::agent::{Calls, ToolSource};
use onionskin_vocabulary::{BuiltIn, Word as _, unknown};

use crate::item::Item;

/// A target in the filter of a hook: `for: [add_one, server(time)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A tool, a child, a toolbox or a built-in tool of the agent, by its name, or as its list has it: `tools.rs:add_one`.
    Name(String),
    /// `server(time)`: the tools of a server.
    Server(String),
    /// `source(mcp)`: the tools of a source.
    Source(ToolSource),
    /// `tool(lookup)`: a tool that is known at run time only.
    Tool(String),
    /// `everywhere`: all calls, including the calls of the agents below.
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
        // No tool's name has it. A word that names all tools of a family has one at its end.
        if text.contains('*') && BuiltIn::first_named(text).is_none() {
            return Err(format!(
                "`{text}` names no calls: only the built-in tools of a family have a `*`, `filesystem.*`; name each tool, or write `server(time)` or \
                 `source(mcp)`"
            ));
        }
        let Some((of, rest)) = text.split_once('(') else {
            return if is_name(text) { Ok(Self::Name(text.to_owned())) } else { Err(wanted()) };
        };
        let name = rest.strip_suffix(')').map(str::trim).filter(|name| is_name(name)).ok_or_else(wanted)?;
        match Calls::from_word(of.trim()).ok_or_else(wanted)? {
            Calls::Server => Ok(Self::Server(name.to_owned())),
            Calls::Tool => Ok(Self::Tool(name.to_owned())),
            Calls::Source => ToolSource::from_word(name)
                .map(Self::Source)
                .ok_or_else(|| unknown("source", name, ToolSource::WORDS)),
        }
    }
}

/// Whether a filter can have the name.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()[]{},".contains(c))
}

#[cfg(test)]
mod tests {
    use onionskin_vocabulary::agent::ToolSource;

    use super::Target;

    #[test]
    fn h2_a_filter_names_calls() {
        assert_eq!(Target::read("add_one"), Ok(Target::Name("add_one".to_owned())));
        assert_eq!(Target::read("shell.execute"), Ok(Target::Name("shell.execute".to_owned())));
        assert_eq!(Target::read("server( time )"), Ok(Target::Server("time".to_owned())));
        assert_eq!(Target::read("source(mcp)"), Ok(Target::Source(ToolSource::Mcp)));
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
