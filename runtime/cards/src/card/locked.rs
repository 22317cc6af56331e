//! The tools of servers that a card names, and a lock file does not have.

use onionskin_vocabulary::{Locked, tool_mistake};

use super::Card;
use crate::problem::Problem;
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
}
