//! The declarations of an agent and of its children, before they are built.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::build_error::BuildError;
use super::declaration::{AgentDeclaration, DynAgent};
use super::server_pool::Configured;
use super::setup::StateMakers;
use crate::onion::caught;

/// The error of a declaration that panicked.
pub(super) fn declaring(agent: &str, reason: String) -> BuildError {
    BuildError::DeclarationPanicked { agent: agent.to_owned(), reason }
}

/// The declaration of an agent and those of its children.
pub(super) struct Declared {
    pub(super) declaration: AgentDeclaration,
    pub(super) link: DynAgent,
    pub(super) children: Vec<Declared>,
}

impl Declared {
    pub(super) fn new(link: &DynAgent, path: &mut Vec<Arc<str>>) -> Result<Self, BuildError> {
        let again = path.contains(&link.name);
        path.push(Arc::clone(&link.name));
        if again {
            return Err(BuildError::Cycle { agent: (*link.name).to_owned(), path: path.join(" > ") });
        }
        let mut declaration = caught(|| link.declare()).map_err(|reason| declaring(&link.name, reason))?;
        let children = std::mem::take(&mut declaration.children);
        let children = children.iter().map(|child| Self::new(child, path)).collect::<Result<_, _>>()?;
        path.pop();
        Ok(Self { declaration, link: link.clone(), children })
    }

    pub(super) fn take_default_servers(&mut self, into: &mut Configured) {
        into.default_to(self.declaration.default_servers.take());
        for child in &mut self.children {
            child.take_default_servers(into);
        }
    }

    /// Stores in the states how their secrets are visited.
    pub(super) fn set_visitors(&self, into: &mut StateMakers) {
        if let (Some(visitor), Some(state)) =
            (self.declaration.state_visitor, into.get_mut(&self.link.state.id))
        {
            state.visitor = Some(visitor);
        }
        for child in &self.children {
            child.set_visitors(into);
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
