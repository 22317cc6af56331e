//! Runs of calls without an agent: direct calls, unit tests.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{AgentInfo, People, RunContext, RunHooks, RunIdentity, RunSeed};
use crate::budget::Budgets;
use crate::event::Events;
use crate::journal::new_id;
use crate::model::History;
use crate::question::DynAnswerer;
use crate::services::Services;
use crate::session::Session;
use crate::state::{SessionState, StateCell, StateHandle};

/// The agent name of a call without an agent.
const DETACHED: &str = "detached";

impl RunContext {
    pub(crate) fn detached_with_state<S: Clone + Send + Sync + 'static>(state: S) -> Self {
        Self::new(Self::detached_seed_of(state))
    }

    pub(crate) fn detached_seed_of<S: Clone + Send + Sync + 'static>(state: S) -> RunSeed {
        let session_state = SessionState::default();
        let (state, secrets) = StateCell::undeclared(state);
        session_state.concealed().add(&secrets);
        RunSeed { session_state, ..Self::detached_seed(state) }
    }

    pub(crate) fn detached_seed(state: StateHandle) -> RunSeed {
        RunSeed {
            identity: RunIdentity {
                agent: AgentInfo::new(Arc::from(DETACHED), None, Vec::new()),
                instance: Arc::from(DETACHED),
                // Two direct calls are two runs, each with a new id.
                run_id: new_id(),
                correlation_id: Arc::from(DETACHED),
                scope: Arc::from(""),
                user: None,
            },
            people: People::default(),
            hooks: RunHooks::default(),
            begun_by: None,
            acted: None,
            state,
            codec: None,
            session_state: SessionState::default(),
            session: None,
            services: Services::default(),
            events: Events::none(),
            journal: None,
            budgets: Budgets::default(),
            deadline: None,
            token: CancellationToken::new(),
            stop: None,
            history: History::new(),
        }
    }

    /// Whether the run belongs to a call without an agent.
    pub(crate) fn is_detached(&self) -> bool {
        self.agent().name() == DETACHED && self.correlation_id() == DETACHED
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    pub fn detached() -> Self {
        Self::detached_with_state(())
    }

    /// A detached run with an agent of this name.
    pub fn detached_agent(
        agent: Arc<str>,
        state: StateHandle,
        session_state: SessionState,
        services: Services,
        session: Option<Session>,
        answerer: Option<Arc<dyn DynAnswerer>>,
    ) -> Self {
        let info = AgentInfo::new(Arc::clone(&agent), None, Vec::new());
        let seed = Self::detached_seed(state);
        Self::new(RunSeed {
            identity: RunIdentity { agent: info, instance: agent, ..seed.identity },
            people: People { answerer, ..People::default() },
            session_state,
            session,
            services,
            ..seed
        })
    }
}
