//! The settings of the builders of agents and apps.

use std::any::{TypeId, type_name};
use std::collections::BTreeMap;

use onionskin_definitions::secret::{Secret, Sensitive, texts};
use onionskin_tools::model::BoxModel;

use crate::agent::built::initial_state::StateMaker;
use crate::agent::built::services::ProvidedServices;
use crate::agent::built::shared::Shared;
use crate::agent::declaration::{AgentDeclaration, DynAgent};
use crate::agent::parts::server_pool::Configured;

/// The settings of the builders.
#[derive(Default)]
pub(super) struct Setup {
    /// The agents that are built with their children.
    pub(super) entries: Vec<DynAgent>,
    pub(super) model: Option<BoxModel>,
    pub(super) shared: Shared,
    pub(super) trace_content: bool,
    pub(super) changes: Changes,
    pub(super) services: ProvidedServices,
    pub(super) servers: Configured,
    /// Whether settings may be unused.
    pub(super) allows_unused: bool,
}

/// A change of an agent's declaration.
pub(super) type Change = Box<dyn FnOnce(AgentDeclaration) -> AgentDeclaration + Send>;

/// The changes of declarations.
#[derive(Default)]
pub(super) struct Changes {
    /// The changes of the first agent.
    pub(super) first: Vec<Change>,
    pub(super) named: BTreeMap<String, Vec<Change>>,
}

impl Setup {
    pub(super) fn state<S: Clone + Send + Sync + 'static>(&mut self, state: S) {
        let (name, state) = (type_name::<S>(), Box::new(state));
        let maker = StateMaker { name, state, visitor: None, is_declared: false };
        self.shared.states.insert(TypeId::of::<S>(), maker);
    }

    pub(super) fn conceal<T: Sensitive>(&mut self, secret: &Secret<T>) {
        self.shared.secrets.extend(texts(|see| secret.expose().each(see)));
    }
}
