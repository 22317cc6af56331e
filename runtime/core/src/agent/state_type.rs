//! The type of state that an agent needs.

use std::any::{TypeId, type_name};

use super::Agent;
use crate::context::State;

/// The type of state that an agent needs.
#[derive(Clone, Copy)]
pub(crate) struct StateType {
    pub(crate) id: TypeId,
    /// The type id of `State<S>`, as tools and hooks take it.
    pub(crate) injected: TypeId,
    pub(crate) name: &'static str,
}

impl StateType {
    pub(crate) fn of<A: Agent>() -> Self {
        Self {
            id: TypeId::of::<A::State>(),
            injected: TypeId::of::<State<A::State>>(),
            name: type_name::<A::State>(),
        }
    }

    /// Whether the type is `()`: the agent has no state.
    pub(crate) fn is_none(&self) -> bool {
        self.id == TypeId::of::<()>()
    }
}
