//! What the runtime may do with a state.

use std::marker::PhantomData;

use onionskin_core::declaration::AgentDeclaration;
use onionskin_core::secret::VisitSecrets;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::registered_item::RegisteredState;

/// A state that a journal can record: a type with `Serialize` and `Deserialize`. Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "a journal cannot record the state `{Self}`",
    label = "it has no JSON",
    note = "write `#[derive(serde::Serialize, serde::Deserialize)]` above the type, or remove `StateParts::recorded`"
)]
pub trait RecordedState: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<S: Serialize + DeserializeOwned> RecordedState for S {}

/// What the runtime may do with a state beyond giving it to tools: [`Items::state_with`](crate::Items::state_with) takes it.
pub struct StateParts<S> {
    methods: Vec<fn(AgentDeclaration) -> AgentDeclaration>,
    is_recorded: bool,
    state: PhantomData<fn() -> S>,
}

impl<S: Clone + Send + Sync + 'static> StateParts<S> {
    pub(crate) fn new() -> Self {
        Self { methods: Vec::new(), is_recorded: false, state: PhantomData }
    }

    /// Lets a journal record the state, and texts of the prompt show its fields
    /// ([`AgentDeclaration::record_state`]).
    #[must_use]
    pub fn recorded(mut self) -> Self
    where
        S: RecordedState,
    {
        self.methods.push(AgentDeclaration::record_state::<S>);
        self.is_recorded = true;
        self
    }

    /// Lets the runtime redact the secrets in the state ([`AgentDeclaration::visit_state`]).
    #[must_use]
    pub fn visited(mut self) -> Self
    where
        S: VisitSecrets,
    {
        self.methods.push(AgentDeclaration::visit_state::<S>);
        self
    }

    pub(crate) fn into_entry(self) -> RegisteredState {
        RegisteredState {
            with_state: |agent| agent.with_state::<S>(),
            methods: self.methods,
            is_recorded: self.is_recorded,
        }
    }
}
