//! The parts of a new run.

use std::sync::{Arc, Mutex, Weak};

use tokio_util::sync::CancellationToken;

use super::RunContext;
use super::hooks::{DynSender, OuterHooks};
use super::team::AgentInfo;
use crate::approval::DynApprover;
use crate::context::{Acted, DynCall, Extra};
use crate::deadline::Deadline;
use crate::event::Events;
use crate::journal::Journal;
use crate::model::History;
use crate::question::{DynAnswerer, Questions};
use crate::services::Services;
use crate::session::Session;
use crate::state::{SessionState, StateCodec, StateHandle};

/// The parts of a new run.
pub struct RunSeed {
    /// The agent.
    pub agent: AgentInfo,
    /// The displayed name: the agent's, with a number if it runs as a child (`London[2]`).
    pub instance: Arc<str>,
    /// The id of the run.
    pub run_id: Arc<str>,
    /// The correlation id, which several runs may share.
    pub correlation_id: Arc<str>,
    /// The path of steps to this run; empty for the outermost run.
    pub scope: Arc<str>,
    /// The parent's call that started this run, if this agent runs as a child.
    pub begun_by: Option<Arc<BegunBy>>,
    /// The record of its calls, if a parent's call waits for its answer.
    pub acted: Option<Arc<Acted>>,
    /// The state of the session.
    pub state: StateHandle,
    /// Serialises the state for the journal; `None` if its type is not serialisable.
    pub codec: Option<StateCodec>,
    /// The dynamic state of the session.
    pub session_state: SessionState,
    /// Where the run reports events.
    pub events: Events,
    /// The journal of the run's steps.
    pub journal: Option<Arc<dyn Journal>>,
    /// When the run must end.
    pub deadline: Option<Deadline>,
    /// Cancels the run.
    pub token: CancellationToken,
    /// The agent's tools, for calls that bypass its hooks.
    pub core: Option<Arc<dyn DynCall>>,
    /// The hooks of parent agents around its calls.
    pub outer_hooks: Option<Arc<dyn OuterHooks>>,
    /// The hooks for its child runs.
    pub child_hooks: Option<Arc<dyn OuterHooks>>,
    /// The hooks on the agent's messages to child agents, if it has any.
    pub sender: Option<Arc<dyn DynSender>>,
    /// The session.
    pub session: Option<Session>,
    /// The services that the program provided.
    pub services: Services,
    /// The user of the run.
    pub user: Option<Arc<str>>,
    /// The approver.
    pub approver: Option<Arc<dyn DynApprover>>,
    /// The answerer.
    pub answerer: Option<Arc<dyn DynAnswerer>>,
    /// The questions of the run and its child runs; `None` if it cannot pause.
    pub questions: Option<Arc<Questions>>,
    /// The initial messages of the conversation.
    pub history: History,
}

/// The parent's call that started a run. While all calls of the run wait, it releases its own permit.
pub struct BegunBy {
    pub(in crate::context) run: RunContext,
    /// Dropped when the call ends.
    pub(in crate::context) call: Weak<Extra>,
    pub(in crate::context) calls: Mutex<Calls>,
}

/// The calls of the run.
#[derive(Default)]
pub(in crate::context) struct Calls {
    pub(in crate::context) all: usize,
    pub(in crate::context) waiting: usize,
    /// Whether the parent's call released its permit.
    pub(in crate::context) away: bool,
}
