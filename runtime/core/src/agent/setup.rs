//! What agents are given when they are built.

use std::any::{TypeId, type_name};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::declaration::{Limits, StateType};
use super::servers::Configured;
use super::toolboxes::Toolboxes;
use crate::approval::DynApprover;
use crate::journal::Journal;
use crate::model::{DynModel, Message};
use crate::onion::MadeBy;
use crate::onion::{DynHook, Hook, StateOf};
use crate::secret::{Secret, Sensitive, noted};
use crate::spec::ToolSpec;
use crate::state::{StateCell, StateHandle};
use crate::tool::Toolbox;

/// The states that new sessions begin with.
pub(super) type StateMakers = HashMap<TypeId, StateMaker>;

/// Makes the state of a new session, and gives the secrets in it.
pub(super) struct StateMaker {
    /// The type's name.
    pub(super) name: &'static str,
    pub(super) make: Box<dyn Fn() -> (StateHandle, Vec<Vec<u8>>) + Send + Sync>,
}

/// What is given to agents when they are built.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) model: Option<Arc<dyn DynModel>>,
    pub(super) states: StateMakers,
    pub(super) secrets: Vec<Vec<u8>>,
    pub(super) journal: Option<Arc<dyn Journal>>,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    /// For the first agent.
    pub(super) own: Extra,
    /// For agents that are called by these names.
    pub(super) named: BTreeMap<String, Extra>,
    pub(super) toolboxes: Toolboxes,
    pub(super) servers: Configured,
}

/// What one agent gets beyond what is declared of it.
#[derive(Default)]
pub(super) struct Extra {
    pub(super) hooks: Vec<ExtraHook>,
    pub(super) limits: Option<Limits>,
    pub(super) messages: Option<Vec<Message>>,
    pub(super) tools: Vec<ToolSpec>,
}

/// A hook, and the state that it takes if the compiler has not held it against the agent's.
pub(super) struct ExtraHook {
    pub(super) hook: Arc<dyn DynHook>,
    pub(super) takes: Option<Takes>,
}

/// The state that a hook takes.
pub(super) struct Takes {
    /// The hook's type.
    pub(super) hook: &'static str,
    /// `()`, or `State<S>`.
    pub(super) state: TypeId,
    pub(super) state_name: &'static str,
}

impl Takes {
    /// Whether the hook works on an agent of this state.
    pub(super) fn fits(&self, state: &StateType) -> bool {
        self.state == TypeId::of::<()>() || self.state == state.injected
    }
}

impl Extra {
    pub(super) fn hook(&mut self, hook: impl Hook) {
        self.hooks.push(ExtraHook { hook: Arc::new(hook), takes: None });
    }

    /// A hook for an agent whose type is not known.
    pub(super) fn unchecked_hook<H: Hook<Made: MadeBy<H, State: 'static>>>(&mut self, hook: H) {
        let (state, state_name) = (TypeId::of::<StateOf<H>>(), type_name::<StateOf<H>>());
        let takes = Takes { hook: type_name::<H>(), state, state_name };
        self.hooks.push(ExtraHook { hook: Arc::new(hook), takes: Some(takes) });
    }

    pub(super) fn messages(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.messages = Some(messages.into_iter().collect());
    }

    /// Adds what was given by another way; of what there is only one, the later one counts.
    pub(super) fn add(&mut self, other: Self) {
        self.hooks.extend(other.hooks);
        self.tools.extend(other.tools);
        self.limits = other.limits.or_else(|| self.limits.take());
        self.messages = other.messages.or_else(|| self.messages.take());
    }
}

impl Setup {
    pub(super) fn state<S: Clone + Send + Sync + 'static>(&mut self, state: S) {
        let make = move || {
            let (state, secrets) = noted(|| state.clone());
            (StateCell::handle(state), secrets)
        };
        let maker = StateMaker { name: type_name::<S>(), make: Box::new(make) };
        self.states.insert(TypeId::of::<S>(), maker);
    }

    pub(super) fn conceal<T: Sensitive>(&mut self, secret: &Secret<T>) {
        secret.expose().each(&mut |text| self.secrets.push(text.to_vec()));
    }

    pub(super) fn toolbox<T: Toolbox>(&mut self, prefix: Option<&'static str>, toolbox: &Arc<T>) {
        self.toolboxes.give(prefix, toolbox);
    }

    /// What the agent of this name gets.
    pub(super) fn of(&mut self, agent: impl Into<String>) -> &mut Extra {
        self.named.entry(agent.into()).or_default()
    }
}
