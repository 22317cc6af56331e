//! The settings of agents that are made when they are built.

use std::any::{TypeId, type_name};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::limits::Limits;
use super::server_pool::Configured;
use super::services::Given;
use super::toolboxes::Toolboxes;
use crate::approval::DynApprover;
use crate::context::StateType;
use crate::journal::Journal;
use crate::model::{BoxModel, Message};
use crate::onion::{DynHook, Hook, MadeBy, StateOf};
use crate::secret::{Secret, Sensitive, StateVisitor, owns_unvisited, texts};
use crate::spec::ToolSpec;
use crate::state::{StateCell, StateHandle};
use crate::tool::{Toolbox, Works};

/// The states that new sessions begin with.
pub(super) type StateMakers = HashMap<TypeId, StateMaker>;

/// Makes the state of a new session.
pub(super) struct StateMaker {
    /// The type's name.
    pub(super) name: &'static str,
    pub(super) state: Box<dyn InitialState>,
    /// The visitor from the declaration of an agent with this state.
    pub(super) visitor: Option<StateVisitor>,
}

/// The state that was given to a builder. Both methods panic if its `Clone` does.
pub(super) trait InitialState: Send + Sync {
    /// A copy for a new session, and the secrets in it.
    fn copy(&self, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>);

    /// Whether it owns a secret that the visitor does not list, and that is not `known` otherwise.
    fn owns_unvisited(&self, visitor: Option<StateVisitor>, known: &[Vec<u8>]) -> bool;
}

impl<S: Clone + Send + Sync + 'static> InitialState for S {
    fn copy(&self, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>) {
        StateCell::with_secrets(self.clone(), visitor)
    }

    fn owns_unvisited(&self, visitor: Option<StateVisitor>, known: &[Vec<u8>]) -> bool {
        owns_unvisited(self, visitor, known)
    }
}

/// The settings of the builders.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) model: Option<BoxModel>,
    pub(super) states: StateMakers,
    pub(super) secrets: Vec<Vec<u8>>,
    pub(super) journal: Option<Arc<dyn Journal>>,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    /// Additions for the first agent.
    pub(super) own: Extra,
    /// Additions for agents by name.
    pub(super) named: BTreeMap<String, Extra>,
    pub(super) toolboxes: Toolboxes,
    pub(super) services: Given,
    pub(super) servers: Configured,
}

/// Additions to one agent beyond its declaration.
#[derive(Default)]
pub(super) struct Extra {
    pub(super) hooks: Vec<ExtraHook>,
    pub(super) limits: Option<Limits>,
    pub(super) messages: Option<Vec<Message>>,
    pub(super) tools: Vec<ToolSpec>,
}

/// A hook, and the states that it works on, as far as the compiler has not checked them.
pub(super) struct ExtraHook {
    pub(super) hook: Arc<dyn DynHook>,
    /// The hook's type.
    pub(super) name: &'static str,
    pub(super) states: Vec<StateType>,
}

impl Extra {
    pub(super) fn hook<H: Hook>(&mut self, hook: H) {
        self.hook_on(hook, Vec::new());
    }

    /// Adds a hook for an agent whose type is unknown here.
    pub(super) fn unchecked_hook<H: Hook<Made: MadeBy<H, State: Works>>>(&mut self, hook: H) {
        let mut states = Vec::new();
        StateOf::<H>::on(&mut states);
        self.hook_on(hook, states);
    }

    fn hook_on<H: Hook>(&mut self, hook: H, states: Vec<StateType>) {
        self.hooks.push(ExtraHook { hook: Arc::new(hook), name: type_name::<H>(), states });
    }

    pub(super) fn messages(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.messages = Some(messages.into_iter().collect());
    }

    /// Adds the settings of another builder. They override single settings of this one.
    pub(super) fn add(&mut self, other: Self) {
        self.hooks.extend(other.hooks);
        self.tools.extend(other.tools);
        self.limits = other.limits.or_else(|| self.limits.take());
        self.messages = other.messages.or_else(|| self.messages.take());
    }
}

impl Setup {
    pub(super) fn state<S: Clone + Send + Sync + 'static>(&mut self, state: S) {
        let maker = StateMaker { name: type_name::<S>(), state: Box::new(state), visitor: None };
        self.states.insert(TypeId::of::<S>(), maker);
    }

    pub(super) fn conceal<T: Sensitive>(&mut self, secret: &Secret<T>) {
        self.secrets.extend(texts(|see| secret.expose().each(see)));
    }

    pub(super) fn toolbox<T: Toolbox>(&mut self, prefix: Option<&'static str>, toolbox: &Arc<T>) {
        self.toolboxes.give(prefix, toolbox);
    }

    /// The additions for the agent of this name.
    pub(super) fn of(&mut self, agent: impl Into<String>) -> &mut Extra {
        self.named.entry(agent.into()).or_default()
    }
}
