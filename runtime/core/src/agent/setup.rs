//! The settings of agents that are made when they are built.

use std::any::{TypeId, type_name};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::limits::Limits;
use super::server_pool::Configured;
use super::services::Given;
use super::toolboxes::Toolboxes;
use crate::approval::DynApprover;
use crate::journal::Journal;
use crate::message_hook::{DynMessageHook, MessageHook};
use crate::model::{BoxModel, Message};
use crate::onion::{DynHook, Hook, MadeBy};
use crate::policy::{DynInputGuardrail, DynOutputGuardrail, InputGuardrail, OutputGuardrail};
use crate::prompt::Prompt;
use crate::question::DynAnswerer;
use crate::run_hook::{DynRunHook, RunHook};
use crate::spec::ToolSpec;
use crate::state::{RestoreState, StateCell, StateHandle};
use crate::tool::{Toolbox, Works};
use crate::turn_hook::{DynTurnHook, TurnHook};
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::{Secret, Sensitive, StateVisitor, owns_unvisited, texts};

/// The states that new sessions begin with.
pub(super) type StateMakers = HashMap<TypeId, StateMaker>;

/// Makes the state of a new session.
pub(super) struct StateMaker {
    /// The type's name.
    pub(super) name: &'static str,
    pub(super) state: Box<dyn InitialState>,
    /// The visitor from the declaration of an agent with this state.
    pub(super) visitor: Option<StateVisitor>,
    /// Whether an agent declares it.
    pub(super) is_declared: bool,
}

/// The state that was given to a builder. `copy` and `owns_unvisited` panic if its `Clone` does.
pub(super) trait InitialState: Send + Sync {
    /// A copy for a new session, and the secrets in it.
    fn copy(&self, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>);

    /// The visitor for a state that no agent declares.
    fn visitor_by_copy(&self) -> StateVisitor;

    /// How a session's state of this type is restored.
    fn keeper(&self) -> fn(&StateHandle) -> Option<RestoreState>;

    /// Whether it owns a secret that the visitor does not list, and that is not `known` otherwise.
    fn owns_unvisited(&self, visitor: Option<StateVisitor>, known: &[Vec<u8>]) -> bool;
}

impl<S: Clone + Send + Sync + 'static> InitialState for S {
    fn copy(&self, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>) {
        StateCell::with_secrets(self.clone(), visitor)
    }

    fn visitor_by_copy(&self) -> StateVisitor {
        StateVisitor::by_copy::<S>()
    }

    fn keeper(&self) -> fn(&StateHandle) -> Option<RestoreState> {
        StateCell::<S>::kept
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
    pub(super) answerer: Option<Arc<dyn DynAnswerer>>,
    pub(super) trace_content: bool,
    /// Additions for the first agent.
    pub(super) own: Extra,
    /// Additions for agents by name.
    pub(super) named: BTreeMap<String, Extra>,
    pub(super) toolboxes: Toolboxes,
    pub(super) services: Given,
    pub(super) servers: Configured,
    /// Whether what the builder got may be unused.
    pub(super) allows_unused: bool,
}

/// Additions to one agent beyond its declaration.
#[derive(Default)]
pub(super) struct Extra {
    pub(super) hooks: Vec<ExtraHook<dyn DynHook>>,
    /// Those of them that see the calls of the agents below too.
    pub(super) reaching: Vec<Arc<dyn DynHook>>,
    pub(super) input_guardrails: Vec<ExtraHook<dyn DynInputGuardrail>>,
    pub(super) output_guardrails: Vec<ExtraHook<dyn DynOutputGuardrail>>,
    pub(super) run_hooks: Vec<ExtraHook<dyn DynRunHook>>,
    pub(super) turn_hooks: Vec<ExtraHook<dyn DynTurnHook>>,
    pub(super) message_hooks: Vec<ExtraHook<dyn DynMessageHook>>,
    pub(super) limits: Option<Limits>,
    pub(super) messages: Option<Vec<Message>>,
    pub(super) tools: Vec<ToolSpec>,
    pub(super) prompt: Prompt,
}

/// A hook or a guardrail, and the states that it works on, as far as the compiler has not checked them.
pub(super) struct ExtraHook<H: ?Sized> {
    pub(super) hook: Arc<H>,
    /// The hook's type.
    pub(super) name: &'static str,
    pub(super) states: Vec<StateType>,
}

/// The state that a hook or a guardrail `H` works on.
pub(super) fn works_on<H, M: MadeBy<H, State: Works>>() -> Vec<StateType> {
    let mut states = Vec::new();
    M::State::on(&mut states);
    states
}

impl Extra {
    pub(super) fn hook<H: Hook>(&mut self, hook: H) {
        self.hook_on(hook, Vec::new());
    }

    /// Adds a hook that sees the calls of the agents below too.
    pub(super) fn reaching_hook<H: Hook>(&mut self, hook: H) {
        self.hook(hook);
        self.reaching.extend(self.hooks.last().map(|extra| Arc::clone(&extra.hook)));
    }

    /// Adds a hook for an agent whose type is unknown here.
    pub(super) fn unchecked_hook<H: Hook<Made: MadeBy<H, State: Works>>>(&mut self, hook: H) {
        let states = works_on::<H, H::Made>();
        self.hook_on(hook, states);
    }

    fn hook_on<H: Hook>(&mut self, hook: H, states: Vec<StateType>) {
        self.hooks.push(ExtraHook { hook: Arc::new(hook), name: type_name::<H>(), states });
    }

    /// Adds a guardrail. The states are those that the compiler has not checked.
    pub(super) fn input_guardrail<G: InputGuardrail>(&mut self, guardrail: G, states: Vec<StateType>) {
        let (hook, name) = (Arc::new(guardrail), type_name::<G>());
        self.input_guardrails.push(ExtraHook { hook, name, states });
    }

    /// As [`Self::input_guardrail`].
    pub(super) fn output_guardrail<G: OutputGuardrail>(&mut self, guardrail: G, states: Vec<StateType>) {
        let (hook, name) = (Arc::new(guardrail), type_name::<G>());
        self.output_guardrails.push(ExtraHook { hook, name, states });
    }

    /// Adds a run hook. The states are those that the compiler has not checked.
    pub(super) fn run_hook<H: RunHook>(&mut self, hook: H, states: Vec<StateType>) {
        self.run_hooks.push(ExtraHook { hook: Arc::new(hook), name: type_name::<H>(), states });
    }

    /// Adds a run hook for an agent whose type is unknown here.
    pub(super) fn unchecked_run_hook<H: RunHook<Made: MadeBy<H, State: Works>>>(&mut self, hook: H) {
        let states = works_on::<H, H::Made>();
        self.run_hook(hook, states);
    }

    /// As [`Self::run_hook`].
    pub(super) fn turn_hook<H: TurnHook>(&mut self, hook: H, states: Vec<StateType>) {
        self.turn_hooks.push(ExtraHook { hook: Arc::new(hook), name: type_name::<H>(), states });
    }

    /// As [`Self::unchecked_run_hook`].
    pub(super) fn unchecked_turn_hook<H: TurnHook<Made: MadeBy<H, State: Works>>>(&mut self, hook: H) {
        let states = works_on::<H, H::Made>();
        self.turn_hook(hook, states);
    }

    /// As [`Self::run_hook`].
    pub(super) fn message_hook<H: MessageHook>(&mut self, hook: H, states: Vec<StateType>) {
        self.message_hooks.push(ExtraHook { hook: Arc::new(hook), name: type_name::<H>(), states });
    }

    /// As [`Self::unchecked_run_hook`].
    pub(super) fn unchecked_message_hook<H: MessageHook<Made: MadeBy<H, State: Works>>>(&mut self, hook: H) {
        let states = works_on::<H, H::Made>();
        self.message_hook(hook, states);
    }

    /// The hooks whose states the compiler has not checked.
    pub(super) fn hook_states(&self) -> impl Iterator<Item = (&'static str, &[StateType])> {
        let of_tools = self.hooks.iter().map(|hook| (hook.name, &*hook.states));
        let of_runs = self.run_hooks.iter().map(|hook| (hook.name, &*hook.states));
        let of_turns = self.turn_hooks.iter().map(|hook| (hook.name, &*hook.states));
        let of_messages = self.message_hooks.iter().map(|hook| (hook.name, &*hook.states));
        let of_input = self.input_guardrails.iter().map(|guardrail| (guardrail.name, &*guardrail.states));
        let of_output = self.output_guardrails.iter().map(|guardrail| (guardrail.name, &*guardrail.states));
        of_tools.chain(of_input).chain(of_output).chain(of_runs).chain(of_turns).chain(of_messages)
    }

    pub(super) fn messages(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.messages = Some(messages.into_iter().collect());
    }

    pub(super) fn prompt(&mut self, prompt: Prompt) {
        self.prompt = std::mem::take(&mut self.prompt).with(prompt);
    }

    /// Adds the settings of another builder. They override single settings of this one.
    pub(super) fn add(&mut self, other: Self) {
        self.hooks.extend(other.hooks);
        self.reaching.extend(other.reaching);
        self.input_guardrails.extend(other.input_guardrails);
        self.output_guardrails.extend(other.output_guardrails);
        self.run_hooks.extend(other.run_hooks);
        self.turn_hooks.extend(other.turn_hooks);
        self.message_hooks.extend(other.message_hooks);
        self.tools.extend(other.tools);
        self.prompt(other.prompt);
        self.limits = other.limits.or_else(|| self.limits.take());
        self.messages = other.messages.or_else(|| self.messages.take());
    }
}

impl Setup {
    pub(super) fn state<S: Clone + Send + Sync + 'static>(&mut self, state: S) {
        let (name, state) = (type_name::<S>(), Box::new(state));
        let maker = StateMaker { name, state, visitor: None, is_declared: false };
        self.states.insert(TypeId::of::<S>(), maker);
    }

    pub(super) fn conceal<T: Sensitive>(&mut self, secret: &Secret<T>) {
        self.secrets.extend(texts(|see| secret.expose().each(see)));
    }

    pub(super) fn toolbox<T: Toolbox>(&mut self, prefix: Option<&str>, toolbox: &Arc<T>) {
        self.toolboxes.give(prefix, toolbox);
    }

    /// The additions for the agent of this name.
    pub(super) fn of(&mut self, agent: impl Into<String>) -> &mut Extra {
        self.named.entry(agent.into()).or_default()
    }
}
