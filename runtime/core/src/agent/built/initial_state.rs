//! The initial states of new sessions.

use std::any::TypeId;
use std::collections::HashMap;

use onionskin_definitions::secret::{StateVisitor, owns_unvisited};
use onionskin_tools::state::{RestoreState, StateCell, StateCodec, StateHandle};

/// The initial states of new sessions.
pub(super) type StateMakers = HashMap<TypeId, StateMaker>;

/// Makes the state of a new session.
pub(in crate::agent) struct StateMaker {
    /// The type's name.
    pub(in crate::agent) name: &'static str,
    pub(in crate::agent) state: Box<dyn InitialState>,
    /// The visitor from the declaration of an agent with this state.
    pub(in crate::agent) visitor: Option<StateVisitor>,
    /// The codec from that declaration.
    pub(in crate::agent) codec: Option<StateCodec>,
    /// Whether stored sessions leave it out.
    pub(in crate::agent) is_unstored: bool,
    /// Whether an agent declares it.
    pub(in crate::agent) is_declared: bool,
}

/// An initial state from a builder. `copy` and `owns_unvisited` panic if its `Clone` does.
pub(in crate::agent) trait InitialState: Send + Sync {
    /// A copy for a new session, and the secrets in it.
    fn copy(&self, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>);

    /// The visitor for a state that no agent declares.
    fn visitor_by_copy(&self) -> StateVisitor;

    /// What sets a session's state of this type.
    fn restorer(&self) -> fn(&StateHandle, Option<StateHandle>) -> Option<RestoreState>;

    /// Whether it owns a secret that the visitor does not list and that is not `known` otherwise.
    fn owns_unvisited(&self, visitor: Option<StateVisitor>, known: &[Vec<u8>]) -> bool;
}

impl<S: Clone + Send + Sync + 'static> InitialState for S {
    fn copy(&self, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>) {
        StateCell::with_secrets(self.clone(), visitor)
    }

    fn visitor_by_copy(&self) -> StateVisitor {
        StateVisitor::by_copy::<S>()
    }

    fn restorer(&self) -> fn(&StateHandle, Option<StateHandle>) -> Option<RestoreState> {
        StateCell::<S>::restorer
    }

    fn owns_unvisited(&self, visitor: Option<StateVisitor>, known: &[Vec<u8>]) -> bool {
        owns_unvisited(self, visitor, known)
    }
}
