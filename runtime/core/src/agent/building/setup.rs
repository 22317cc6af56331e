//! The settings of the builders of agents and apps.

use std::any::{TypeId, type_name};
use std::collections::BTreeMap;
use std::sync::Arc;

use onionskin_definitions::secret::{Secret, Sensitive, texts};
use onionskin_tools::model::BoxModel;
use onionskin_tools::question::DynAnswerer;
use onionskin_tools::services::{ProvidedService, ServiceType};
use onionskin_tools::tool::Toolbox;

use crate::agent::built::initial_state::StateMaker;
use crate::agent::built::services::ProvidedServices;
use crate::agent::built::shared::Shared;
use crate::agent::declaration::{AgentDeclaration, DynAgent};
use crate::agent::parts::server_pool::Configured;
use crate::agent::parts::servers::IntoToolServer;

/// The settings of the builders.
#[derive(Default)]
pub(super) struct Setup {
    /// The agents that are built with their children.
    pub(super) entries: Vec<DynAgent>,
    pub(super) model: Option<BoxModel>,
    /// Whether the model is asked for agents that name another one too.
    pub(super) model_for_all: bool,
    /// Who answers if the program sets no answerer.
    pub(super) default_answerer: Option<Arc<dyn DynAnswerer>>,
    /// The calls that were made twice.
    pub(super) twice: Vec<String>,
    pub(super) shared: Shared,
    /// The states that are left out of stored sessions, with their names.
    pub(super) unstored: Vec<(TypeId, &'static str)>,
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
        let maker =
            StateMaker { name, state, visitor: None, codec: None, is_declared: false, is_unstored: false };
        if self.shared.states.insert(TypeId::of::<S>(), maker).is_some() {
            self.twice.push(format!("`.state(..)` with a `{name}`"));
        }
    }

    pub(super) fn provide(&mut self, service: ProvidedService) {
        let (ty, call) = (service.ty, service.call);
        if self.services.has(ty) {
            self.twice.push(format!("`{call}` with a `{}`", ty.name()));
        }
        self.services.insert(service);
    }

    pub(super) fn provide_per_request(&mut self, service: ServiceType) {
        if self.services.has(service) {
            self.twice.push(format!(
                "`.provide_per_request::<{}>()`, or `.provide(..)` beside it,",
                service.name()
            ));
        }
        self.services.give_per_request(service);
    }

    pub(super) fn toolbox<T: Toolbox>(&mut self, prefix: Option<&str>, toolbox: &Arc<T>) {
        if let Some(call) = self.shared.toolboxes.give(prefix, toolbox) {
            self.twice.push(format!("`{call}`"));
        }
    }

    pub(super) fn server(&mut self, name: String, server: impl IntoToolServer) {
        if self.servers.has(&name) {
            self.twice.push(format!("`.server(\"{name}\", ..)`"));
        }
        self.servers.one(name, server);
    }

    /// Notes that `call` replaced a setting.
    pub(super) fn note_twice(&mut self, replaced: bool, call: &str) {
        if replaced {
            self.twice.push(format!("`{call}`"));
        }
    }

    pub(super) fn conceal<T: Sensitive>(&mut self, secret: &Secret<T>) {
        self.shared.secrets.extend(texts(|see| secret.expose().each(see)));
    }
}
