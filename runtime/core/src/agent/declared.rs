//! The declarations of an agent and of its children, before they are built.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::build_error::BuildError;
use super::declaration::{AgentDeclaration, AgentId, DynAgent};
use super::server_pool::Configured;
use super::setup::StateMakers;
use crate::onion::caught;

/// The most levels of agents, the outermost included: each one is on the stack while they are built.
const MOST_LEVELS: usize = 100;

/// The error of a declaration that panicked.
pub(super) fn declaring(agent: &str, reason: String) -> BuildError {
    BuildError::DeclarationPanicked { agent: agent.to_owned(), reason }
}

/// The declaration of an agent and those of its children.
pub(super) struct Declared {
    pub(super) declaration: Box<AgentDeclaration>,
    pub(super) link: DynAgent,
    /// Empty if an agent before this one is the same: it has them.
    pub(super) children: Vec<Declared>,
}

/// The way from an outermost agent to one beneath it, and all agents that have been declared.
#[derive(Default)]
pub(super) struct Way {
    path: Vec<Arc<str>>,
    seen: HashSet<AgentId>,
}

/// The declaration of an agent, which is not on the stack while those beneath it are declared.
#[inline(never)]
fn declared(link: &DynAgent) -> Result<Box<AgentDeclaration>, BuildError> {
    match caught(|| Box::new(link.declare())) {
        Ok(declaration) => Ok(declaration),
        Err(reason) => Err(declaring(&link.name, reason)),
    }
}

impl Declared {
    pub(super) fn new(link: &DynAgent, way: &mut Way) -> Result<Self, BuildError> {
        let again = way.path.contains(&link.name);
        way.path.push(Arc::clone(&link.name));
        if again {
            return Err(BuildError::Cycle { agent: (*link.name).to_owned(), path: way.path.join(" > ") });
        }
        if way.path.len() > MOST_LEVELS {
            return Err(BuildError::TooManyLevels { agent: (*link.name).to_owned(), most: MOST_LEVELS });
        }
        let mut declaration = declared(link)?;
        let mut children = std::mem::take(&mut declaration.children);
        // Many ways can lead to one agent: two children on each of thirty levels are a thousand million ways.
        if !way.seen.insert(link.id) {
            children.clear();
        }
        let children = children.iter().map(|child| Self::new(child, way)).collect::<Result<_, _>>()?;
        way.path.pop();
        Ok(Self { declaration, link: link.clone(), children })
    }

    pub(super) fn take_default_servers(&mut self, into: &mut Configured) {
        into.default_to(self.declaration.default_servers.take());
        for child in &mut self.children {
            child.take_default_servers(into);
        }
    }

    /// Stores in the states that they are declared, and how their secrets are visited.
    pub(super) fn declare_states(&self, into: &mut StateMakers) {
        let own = self.link.state;
        if let Some(state) = into.get_mut(&own.id()).filter(|_| !own.is_none()) {
            state.is_declared = true;
            state.visitor = self.declaration.state_visitor.or(state.visitor);
        }
        for child in &self.children {
            child.declare_states(into);
        }
    }

    pub(super) fn collect_servers(&self, into: &mut BTreeSet<(Arc<str>, Arc<str>)>) {
        let used = self.declaration.servers.iter();
        into.extend(used.map(|server| (Arc::clone(&server.name), Arc::clone(&self.link.name))));
        for child in &self.children {
            child.collect_servers(into);
        }
    }
}
