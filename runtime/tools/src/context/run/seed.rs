//! The parts of a new run.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::hooks::{DynSender, OuterHooks};
use super::permits::BegunBy;
use super::team::AgentInfo;
use crate::approval::DynApprover;
use crate::budget::Budgets;
use crate::context::{Acted, DynCall};
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
    /// Who runs.
    pub identity: RunIdentity,
    /// The people around it.
    pub people: People,
    /// The hooks around its calls and messages.
    pub hooks: RunHooks,
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
    /// The session.
    pub session: Option<Session>,
    /// The services that the program provided.
    pub services: Services,
    /// Where the run reports events.
    pub events: Events,
    /// The journal of the run's steps.
    pub journal: Option<Arc<dyn Journal>>,
    /// The budgets that its requests and calls spend.
    pub budgets: Budgets,
    /// When the run must end.
    pub deadline: Option<Deadline>,
    /// Cancels the run.
    pub token: CancellationToken,
    /// Ends the run before its next turn.
    pub stop: Option<CancellationToken>,
    /// The initial messages of the conversation.
    pub history: History,
}

/// Who runs, and for whom.
pub struct RunIdentity {
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
    /// The user of the run.
    pub user: Option<Arc<str>>,
}

impl RunIdentity {
    /// With what the request of a program sets. Without a correlation id, it is the run's id.
    #[must_use]
    pub fn requested(self, correlation_id: Option<Arc<str>>, user: Option<Arc<str>>) -> Self {
        Self { correlation_id: correlation_id.unwrap_or(self.correlation_id), user, ..self }
    }
}

/// The people around a run: who approves and who answers.
#[derive(Clone, Default)]
pub struct People {
    /// The approver.
    pub approver: Option<Arc<dyn DynApprover>>,
    /// The answerer.
    pub answerer: Option<Arc<dyn DynAnswerer>>,
    /// The questions of the run and its child runs; `None` if it cannot pause.
    pub questions: Option<Arc<Questions>>,
}

/// The hooks around the calls and messages of a run.
#[derive(Default)]
pub struct RunHooks {
    /// The agent's tools, for calls that bypass its hooks.
    pub core: Option<Arc<dyn DynCall>>,
    /// The hooks of parent agents around its calls.
    pub outer: Option<Arc<dyn OuterHooks>>,
    /// The hooks for its child runs.
    pub children: Option<Arc<dyn OuterHooks>>,
    /// The hooks on the agent's messages to child agents, if it has any.
    pub sender: Option<Arc<dyn DynSender>>,
}
