//! A built agent as a program holds it, and the start of its runs.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, LazyLock};

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;

use super::declaration::RunFn;
use super::instance::Instance;
use super::named::NamedRun;
use super::run::AgentRun;
use super::run_error::RunError;
use super::shared::Shared;
use super::stream::{Finish, RunStream};
use crate::approval::{Approver, DynApprover};
use crate::context::{Entry, RunSeed, Running, ToolContext};
use crate::deadline::Deadline;
use crate::definition::ToolDefinition;
use crate::event::{EventKind, Events, Queue, RunOutput};
use crate::journal::{Journal, StepId, StepKind, new_id};
use crate::model::History;
use crate::onion::{caught, panic_words};
use crate::secret::Redact as _;
use crate::session::{Chain, Session, Wait};
use crate::state::{StateCell, StateHandle};

/// A built agent: its tools, hooks, connections and model. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub struct AgentHandle {
    pub(super) instance: Arc<Instance>,
    pub(super) run: RunFn,
    pub(super) shared: Arc<Shared>,
}

impl AgentHandle {
    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.instance.name
    }

    /// The current names of its tools, as hooks see them ([`ToolContext::tool_name`](crate::ToolContext::tool_name)).
    /// [`Self::tool_definitions`] returns the names for the model.
    pub fn tool_names(&self) -> Vec<String> {
        let (tools, _) = self.instance.tools();
        tools.table.entries().iter().map(|entry| entry.name.to_string()).collect()
    }

    /// The current definitions of its tools for the model, under the names that the model uses. The exports take these.
    pub fn tool_definitions(&self) -> Vec<ToolDefinition> {
        let (tools, _) = self.instance.tools();
        let told = |entry: &Arc<Entry>| {
            let mut told = entry.definition.clone();
            told.name = Arc::clone(&entry.wire_name);
            told
        };
        tools.table.entries().iter().map(told).collect()
    }

    /// Creates a new session: a conversation with its own history and state.
    pub fn session(&self) -> Session {
        new_session(&self.shared, &self.instance)
    }

    /// Runs the agent in a new session.
    ///
    /// Cancel safety: dropping the future ends the run and everything beneath it. The history of the session keeps what
    /// the run did until then ([`RunRequest::session`]).
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(&self, input: impl Into<String>) -> Result<RunOutput, RunError> {
        self.request(input).run().await
    }

    /// Runs the agent in a new session and returns its events as a stream.
    pub fn stream(&self, input: impl Into<String>) -> RunStream {
        self.request(input).stream()
    }

    /// Prepares a run with further options.
    pub fn request(&self, input: impl Into<String>) -> RunRequest {
        RunRequest {
            handle: self.clone(),
            input: input.into(),
            session: None,
            run_id: None,
            correlation_id: None,
            user: None,
            approver: None,
            cancellation: None,
        }
    }

    /// Shuts down the MCP servers gracefully. Without this call they are killed when the last handle is dropped.
    pub async fn shutdown(self) {
        self.shared.servers.shutdown().await;
    }
}

impl std::fmt::Debug for AgentHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentHandle").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The options of a run that has not begun.
#[derive(Debug)]
#[must_use = "a request does nothing until it is run"]
pub struct RunRequest {
    handle: AgentHandle,
    input: String,
    session: Option<Session>,
    run_id: Option<Arc<str>>,
    correlation_id: Option<Arc<str>>,
    user: Option<Arc<str>>,
    approver: Option<Arc<dyn DynApprover>>,
    cancellation: Option<CancellationToken>,
}

impl RunRequest {
    /// Runs in this session, which the agent made before ([`AgentHandle::session`]). A session of another agent works
    /// if it contains the states of this agent and its children, as sessions of one [`App`](super::App) do. Otherwise
    /// the run fails with [`RunError::NoState`].
    ///
    /// Runs in one session are sequential, in the order in which they are first polled. The wait is part of the run's
    /// time limit (`limits`) and ends with [`RunError::Busy`] when the limit is reached. A run that starts within a run
    /// of the same session would wait for itself: it fails with [`RunError::WaitsForItself`].
    pub fn session(mut self, session: &Session) -> Self {
        self.session = Some(session.clone());
        self
    }

    /// The id of the run in its journal and in the idempotency keys of its calls. A request with the id of an earlier
    /// run replays that run: recorded steps are answered from the journal, and steps that run again have the same keys.
    /// Without this call each run gets a unique id. While a run with this id of the same agent, or of the same
    /// [`App`](super::App), is in progress, another one fails with [`RunError::RunIdInUse`].
    ///
    /// The id is also the correlation id, unless [`Self::correlation_id`] sets another one.
    pub fn run_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.run_id = Some(id.into());
        self
    }

    /// The id of the run and of all child runs beneath it, for people and traces. Several runs may share it. Nothing is
    /// recorded under it.
    pub fn correlation_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.correlation_id = Some(id.into());
        self
    }

    /// The user of the run. A cache keeps the results of each user separate.
    pub fn user(mut self, id: impl Into<Arc<str>>) -> Self {
        self.user = Some(id.into());
        self
    }

    /// Sets the approver for the calls of this run, in place of the agent's approver.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets a token that cancels the run.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// Runs the agent.
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(self) -> Result<RunOutput, RunError> {
        self.stream().output().await
    }

    /// Runs the agent and returns its events as a stream.
    pub fn stream(self) -> RunStream {
        let queue = Arc::new(Queue::default());
        let AgentHandle { instance, run: answer, shared } = self.handle;
        let session = self.session.unwrap_or_else(|| new_session(&shared, &instance));
        let token = self.cancellation.map_or_else(CancellationToken::new, |token| token.child_token());
        let deadline = Deadline::sooner(instance.limits.time, None);
        let events = Events::new(Arc::clone(&queue), Arc::clone(&instance.name), session.state().clone());
        let run = async move {
            // A task that a tool spawned with the run's token ends with the run.
            let _ends = token.clone().drop_guard();
            let (agent, turns) = (Arc::clone(&instance.name), session.clone());
            let wait = Wait { deadline, token: &token };
            let outside = events.clone();
            let in_turn = async {
                // The session may come from another agent.
                session.state().concealed().add(&shared.secrets);
                let history = session.history();
                let start = history.len();
                let _named = match &self.run_id {
                    Some(id) => match NamedRun::begin(id, &shared) {
                        Some(named) => Some(named),
                        None => {
                            let (agent, run_id) = (Arc::clone(&instance.name), Arc::clone(id));
                            return Err(RunError::RunIdInUse { agent, run_id });
                        }
                    },
                    None => None,
                };
                let run_id = self.run_id.unwrap_or_else(new_id);
                let seed = RunSeed {
                    agent: instance.info.clone(),
                    instance: Arc::clone(&instance.name),
                    correlation_id: self.correlation_id.unwrap_or_else(|| Arc::clone(&run_id)),
                    run_id,
                    scope: Arc::default(),
                    begun_by: None,
                    state: state_of(&instance, &session)?,
                    session_state: session.state().clone(),
                    events,
                    journal: shared.journal.clone(),
                    deadline,
                    token: token.clone(),
                    core: Some(Arc::clone(&instance.core)),
                    session: Some(session.clone()),
                    user: self.user,
                    approver: self.approver.or_else(|| shared.approver.clone()),
                    history,
                };
                let run = AgentRun::new(seed, instance, session.clone());
                let _kept = Kept { run: &run, start };
                Ok(drive(&run, answer, self.input, true).await)
            };
            // Pinned in place: a future that is passed on by value occupies space in the run's future twice.
            let answer = turns.in_turn(wait, pin!(in_turn)).await;
            let answer = answer.unwrap_or_else(|no_turn| Err(RunError::of_turn(no_turn, &agent, &turns)));
            answer.inspect_err(|error| never_began(&outside, "".into(), error))?.map(|_| Finish::Answered)
        };
        RunStream::new(Box::pin(run), queue)
    }
}

/// A run that a tool call starts.
pub(super) struct RunPlan {
    pub(super) instance: Arc<Instance>,
    pub(super) session: Session,
    pub(super) history: History,
    /// The receiver of its events.
    pub(super) events: Events,
    /// The name that is displayed.
    pub(super) name: Arc<str>,
    /// The caller's deadline.
    pub(super) deadline: Option<Deadline>,
    /// The approver of its calls, in place of the caller's.
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    /// The journal of its steps, in place of the caller's.
    pub(super) journal: Option<Arc<dyn Journal>>,
}

impl RunPlan {
    /// Begins the run that `cx` starts. Outside of a run it begins an independent run.
    pub(super) fn begin(self, cx: &ToolContext) -> Result<AgentRun, RunError> {
        let parent = Some(cx.run()).filter(|run| run.session().is_some());
        let (run_id, correlation_id) = match parent {
            Some(parent) => (parent.run_id().into(), parent.correlation_id().into()),
            None => {
                let id = new_id();
                (Arc::clone(&id), id)
            }
        };
        let seed = RunSeed {
            agent: self.instance.info.clone(),
            instance: Arc::clone(&self.name),
            run_id,
            correlation_id,
            scope: scope(cx),
            begun_by: parent.map(|_| cx.begins()),
            state: state_of(&self.instance, &self.session)?,
            session_state: self.session.state().clone(),
            events: self.events.for_agent(self.name),
            journal: self.journal.or_else(|| cx.run().journal().cloned()),
            deadline: Deadline::sooner(self.instance.limits.time, self.deadline),
            token: cx.cancellation().child_token(),
            core: Some(Arc::clone(&self.instance.core)),
            session: Some(self.session.clone()),
            user: cx.run().user_id(),
            approver: self.approver.or_else(|| cx.run().approver().cloned()),
            history: self.history,
        };
        Ok(AgentRun::new(seed, self.instance, self.session))
    }
}

/// The scope of the run that a call starts.
pub(super) fn scope(cx: &ToolContext) -> Arc<str> {
    // Each start of the agent is a separate run, also if the tool's own hooks start it again.
    let id = StepId { attempt: cx.tries(), ..cx.step_id(StepKind::Tool) };
    id.to_string().into()
}

/// Runs an agent to its answer, or until its run is over, and reports its start and its end. A panic of a hand-written
/// agent is an error of its run.
pub(super) async fn drive(
    run: &AgentRun,
    answer: RunFn,
    input: String,
    shown: bool,
) -> Result<String, RunError> {
    if run.context().events().are_kept() {
        run.event(0, EventKind::RunStarted { input: input.as_str().into(), shown });
    }
    let dropped = Dropped { run };
    let _running = Running::new(run.context());
    // A panic can occur before the first await.
    let work = pin!(AssertUnwindSafe(async { answer(run, input).await }).catch_unwind());
    let done = match Chain::enter(&run.instance.name, run.instance.limits.depth) {
        Ok(chain) => chain.around(run.until_over(work)).await,
        Err(chain) => {
            let agent = Arc::clone(&run.instance.name);
            Err(RunError::Depth { agent, most: run.instance.limits.depth, chain: chain.into() })
        }
    };
    let answer = match done {
        Ok(Ok(answer)) => answer,
        Ok(Err(panic)) => {
            let reason = format!("it panicked: {}", panic_words(panic));
            Err(RunError::Agent { agent: Arc::clone(&run.instance.name), reason })
        }
        Err(over) => Err(over),
    };
    std::mem::forget(dropped);
    // A hand-written agent cannot turn an abort into an answer either.
    let mut answer = match run.context().aborted() {
        Some(abort) => Err(RunError::Aborted(abort.clone())),
        None => answer,
    };
    if let Some(redactor) = run.context().concealed().redactor() {
        match &mut answer {
            Ok(text) => text.redact(&redactor),
            Err(error) => error.redact(&redactor),
        }
    }
    let end = match &answer {
        Ok(text) => EventKind::RunFinished { text: text.clone() },
        Err(error) => EventKind::RunFailed { error: error.to_string() },
    };
    run.event(0, end);
    answer
}

/// Reports the end of a run that did not begin: the session lacks a state, or the run did not get its turn.
pub(super) fn never_began(events: &Events, scope: Arc<str>, error: &RunError) {
    let step = StepId { scope, ..StepId::new(StepKind::Run, "") };
    events.push(|| step, EventKind::RunFailed { error: error.to_string() });
}

/// Stores the messages of a run in its session when the run ends, also if it is dropped half way, because its tools
/// have already acted.
pub(super) struct Kept<'r> {
    pub(super) run: &'r AgentRun,
    /// The number of messages that the session had before.
    pub(super) start: usize,
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.run.session.append(&self.run.messages(), self.start);
    }
}

/// Reports the end of a run that is dropped half way.
struct Dropped<'r> {
    run: &'r AgentRun,
}

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        let error = RunError::Cancelled { agent: Arc::clone(&self.run.instance.name) };
        self.run.event(0, EventKind::RunFailed { error: error.to_string() });
    }
}

/// The state of agents that declare no state.
static NO_STATE: LazyLock<StateHandle> = LazyLock::new(|| StateCell::handle((), None));

/// The agent's state in a session that may also contain states of its children.
fn state_of(instance: &Instance, session: &Session) -> Result<StateHandle, RunError> {
    for (agent, state) in &instance.needs {
        match session.state_handle(state.id) {
            Some(Ok(_)) => {}
            Some(Err(panic)) => {
                let reason = format!("its state `{}` panicked when it was copied: {panic}", state.name);
                return Err(RunError::Agent { agent: Arc::clone(agent), reason });
            }
            None => return Err(RunError::NoState { agent: Arc::clone(agent), state: state.name }),
        }
    }
    let own = session.state_handle(instance.state.id).and_then(Result::ok);
    Ok(own.unwrap_or_else(|| Arc::clone(&NO_STATE)))
}

/// Creates a session with the initial messages of its agent and the secrets of its initial states.
fn new_session(shared: &Shared, instance: &Instance) -> Session {
    let mut secrets = shared.secrets.clone();
    let states = shared.states.iter().map(|(id, maker)| {
        let made = caught(|| maker.state.copy(maker.visitor)).map(|(state, visited)| {
            secrets.extend(visited);
            state
        });
        (*id, made)
    });
    let session = Session::new(states.collect());
    session.state().concealed().add(&secrets);
    session.append(&instance.messages, 0);
    session
}
