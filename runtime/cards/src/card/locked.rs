//! The tools of servers that a card names, and a lock file does not have.

use onionskin_vocabulary::{Locked, tool_mistake};

use super::Card;
use crate::problem::Problem;
use crate::source::Spanned;
use crate::target::Target;

impl Card {
    /// The mistakes in names of tools, by the lock files of servers: patterns that take nothing, and tools in filters of hooks that a server does
    /// not have. `locked` gives the tools of a server that is in a file.
    pub fn lock_mistakes<'f>(&self, locked: impl Fn(&str) -> Option<Locked<'f>>) -> Vec<Problem> {
        let mut problems = Vec::new();
        let servers: Vec<&str> = self.servers.iter().map(|server| &*server.value).collect();
        let declared = self.tools.iter().filter(|(server, _)| servers.contains(&&*server.value));
        for (server, patterns) in declared {
            let Some(tools) = locked(&server.value) else { continue };
            problems.extend(patterns.iter().filter_map(|pattern| {
                let message = tools.pattern_mistake(&pattern.value, &server.value)?;
                Some(Problem { message, span: pattern.span.clone() })
            }));
        }
        problems.extend(self.filters().flat_map(|filter| &filter.targets).filter_map(|target| {
            let name = match &target.value {
                Target::Name(name) if self.is_of_servers(name, &servers) => name,
                Target::Tool(name) => name,
                Target::Name(_) | Target::Server(_) | Target::Source(_) | Target::Everywhere => return None,
            };
            let reads = |field, server: &str| self.has_patterns(field, server);
            let message = tool_mistake(name, servers.iter().copied(), reads, &locked)?;
            Some(Problem { message, span: target.span.clone() })
        }));
        problems
    }

    /// The mistakes in filters that name a tool of a server without its server: `tool(pay)` for `bank__pay`. A program that adds tools when it
    /// builds the agent can mean one of those.
    pub fn tools_without_server<'f>(&self, locked: impl Fn(&str) -> Option<Locked<'f>>) -> Vec<Problem> {
        let targets = self.filters().flat_map(|filter| &filter.targets);
        let mistake = |target: &Spanned<Target>| {
            let Target::Tool(name) = &target.value else { return None };
            if !self.called(name).is_empty() {
                return None;
            }
            let has = |server: &&Spanned<String>| {
                locked(&server.value).is_some_and(|locked| locked.tools.contains(name))
            };
            let server = &self.servers.iter().find(has)?.value;
            let message = format!("this agent has no tool `{name}`; did you mean `{server}__{name}`?");
            Some(Problem { message, span: target.span.clone() })
        };
        targets.filter_map(mistake).collect()
    }
}
