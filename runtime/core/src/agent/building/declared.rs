//! The declarations of the agents to build, with the changes of their builder.

use std::sync::Arc;

use onionskin_tools::onion::caught;

use crate::agent::declaration::{AgentDeclaration, DynAgent};
use crate::agent::error::build_error::BuildError;
use crate::agent::parts::Changed;
use crate::agent::parts::settings::HistorySource;

use super::setup::{Change, Changes, Setup};

/// The maximum depth of nested agents, the first one included. Each level takes stack space.
const MAX_LEVELS: usize = 100;

/// An agent to build.
pub(super) struct Declared {
    pub(super) agent: DynAgent,
    pub(super) declaration: Box<AgentDeclaration>,
    /// Determines the order of agents in errors: parents precede their children.
    pub(super) number: usize,
    /// Whether the program runs it itself, and not only through other agents.
    pub(super) is_entry: bool,
    /// Whether a parent starts it with its own messages.
    pub(super) begins_with_messages: bool,
}

/// Finds the agents to build.
struct Search<'c> {
    changes: &'c mut Changes,
    /// The agents from the first one to the current one.
    path: Vec<Arc<str>>,
    /// The agents whose children are all found.
    found: Vec<Declared>,
    begun: usize,
}

impl Setup {
    /// The agents to build, each after its children.
    ///
    /// # Errors
    /// Returns an error if an agent contains itself, or if a declaration panics.
    pub(super) fn declared(&mut self) -> Result<Vec<Declared>, BuildError> {
        let mut search = Search { changes: &mut self.changes, path: Vec::new(), found: Vec::new(), begun: 0 };
        for agent in &self.entries {
            search.visit(agent, None)?;
        }
        Ok(search.found)
    }
}

impl Search<'_> {
    fn visit(&mut self, agent: &DynAgent, parent: Option<&AgentDeclaration>) -> Result<(), BuildError> {
        let is_in_itself = self.path.contains(&agent.name);
        self.path.push(Arc::clone(&agent.name));
        if is_in_itself {
            let (agent, path) = (agent.name().to_owned(), self.path.join(" > "));
            return Err(BuildError::Cycle { agent, path });
        }
        if self.path.len() > MAX_LEVELS {
            return Err(BuildError::TooManyLevels { agent: agent.name().to_owned(), max: MAX_LEVELS });
        }
        let begins =
            parent.is_some_and(|parent| parent.parts.settings.history_source == HistorySource::Messages);
        // Many paths can reach one agent: two children on each of thirty levels make a billion paths.
        if let Some(known) = self.found.iter_mut().find(|known| known.agent == *agent) {
            known.is_entry |= parent.is_none();
            known.begins_with_messages |= begins;
        } else {
            let number = self.begun;
            self.begun += 1;
            let declaration = declare(agent, self.changes_of(agent, number))?;
            for child in &declaration.children {
                self.visit(child, Some(&declaration))?;
            }
            let agent = agent.clone();
            let (is_entry, begins_with_messages) = (parent.is_none(), begins);
            self.found.push(Declared { agent, declaration, number, is_entry, begins_with_messages });
        }
        self.path.pop();
        Ok(())
    }

    fn changes_of(&mut self, agent: &DynAgent, number: usize) -> Vec<Change> {
        let mut changes = if number == 0 { std::mem::take(&mut self.changes.first) } else { Vec::new() };
        if let Some(named) = self.changes.named.get_mut(agent.name()) {
            changes.append(named);
        }
        changes
    }
}

/// Declares an agent. This is a separate function with a boxed result, because each level takes stack space.
#[inline(never)]
fn declare(agent: &DynAgent, changes: Vec<Change>) -> Result<Box<AgentDeclaration>, BuildError> {
    let declare = || {
        let mut declaration = agent.declare();
        declaration.parts.changed = Some(Changed::default());
        Box::new(changes.into_iter().fold(declaration, |declaration, change| change(declaration)))
    };
    caught(declare).map_err(|reason| BuildError::declaring(agent.name(), reason))
}
