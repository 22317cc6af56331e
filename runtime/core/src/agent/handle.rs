//! A built agent as a program holds it, and the runs that a program requests.

use std::pin::pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::build_error::ServerError;
use super::declaration::RunFn;
use super::drive::{Kept, drive, never_began, seed};
use super::instance::Instance;
use super::run::AgentRun;
use super::run_error::RunError;
use super::run_ids::NamedRun;
use super::shared::Shared;
use super::stream::{Finish, RunStream};
use super::tool_list::ListError;
use crate::approval::{Approver, DynApprover};
use crate::context::RunSeed;
use crate::deadline::Deadline;
use crate::definition::ToolDefinition;
use crate::event::{Events, Queue, RunOutput};
use crate::journal::new_id;
use crate::onion::caught;
use crate::services::{GivenService, Service, Services};
use crate::session::{Session, Wait};

/// A built agent: its tools, hooks, connections and model. [`AgentBuilder::build`](super::AgentBuilder::build) and
/// [`App`](super::App) make it. Cloning is cheap; clones share everything.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning."), ScriptedTurn::say("You said: {input}")]);
/// let clerk = Clerk::builder().model(model).build().await.unwrap();
///
/// // Two runs in one session: the second one sees the messages of the first.
/// let session = clerk.session();
/// clerk.request("Hello.").session(&session).run().await.unwrap();
/// clerk.request("Goodbye.").session(&session).run().await.unwrap();
/// assert_eq!(session.history().len(), 4);
///
/// clerk.shutdown().await;
/// # });
/// ```
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

    /// The current names of its tools, as hooks see them ([`ToolContext::tool_name`](crate::ToolContext::tool_name)). They
    /// are those for all runs; a server can have others for a run
    /// ([`ToolProvider::for_run`](crate::servers::ToolProvider::for_run)).
    /// [`Self::tool_definitions`] returns the names for the model.
    ///
    /// # Errors
    /// Returns an error if a server panics while it lists its tools. A run would fail for the same reason.
    pub fn tool_names(&self) -> Result<Vec<String>, ServerError> {
        let tools = self.instance.tools.tools(None).map_err(ListError::into_server_error)?;
        Ok(tools.table.entries().iter().map(|entry| entry.name.to_string()).collect())
    }

    /// The current definitions of its tools for the model, under the names that the model uses. The exports take these.
    ///
    /// # Errors
    /// As [`Self::tool_names`].
    pub fn tool_definitions(&self) -> Result<Vec<ToolDefinition>, ServerError> {
        Ok(self.instance.tools.tools(None).map_err(ListError::into_server_error)?.table.shown())
    }

    /// Creates a new session: a conversation with its own history and state. It begins with the messages and with
    /// copies of the states that the agent was built with. Run in it with [`RunRequest::session`].
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

    /// Prepares a run in a new session and returns its events as a stream. The run makes progress only while the stream
    /// is polled. Its time limit starts with this call.
    pub fn stream(&self, input: impl Into<String>) -> RunStream {
        self.request(input).stream()
    }

    /// Prepares a run with options, such as its session, its id or a token that cancels it.
    ///
    /// ```
    /// use onionskin::{AgentHandle, RunError, Session};
    ///
    /// async fn reply(clerk: &AgentHandle, chat: &Session, user: &str, text: &str) -> Result<String, RunError> {
    ///     let output = clerk.request(text).session(chat).user(user).run().await?;
    ///     Ok(output.text)
    /// }
    /// # let _ = reply;
    /// ```
    pub fn request(&self, input: impl Into<String>) -> RunRequest {
        RunRequest {
            handle: self.clone(),
            input: input.into(),
            session: None,
            run_id: None,
            correlation_id: None,
            user: None,
            approver: None,
            services: Services::default(),
            cancellation: None,
        }
    }

    /// Ends the servers of tools and waits for them. An MCP server that does not end within 2 seconds after its input was closed
    /// is asked to terminate, and is killed after 2 more seconds. All clones of this handle use the same servers: later
    /// calls of their tools are tool errors. Without this call the servers are killed when the last handle is dropped.
    pub async fn shutdown(self) {
        self.shared.servers.shutdown().await;
    }
}

impl std::fmt::Debug for AgentHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentHandle").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The options of a run that has not begun. [`AgentHandle::request`] makes it; [`run`](Self::run) or
/// [`stream`](Self::stream) begins the run.
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
    services: Services,
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
    /// The program chooses one id for each piece of work, such as the number of an order, and knows it again after a
    /// crash. The replay needs the input, the agent, the session's history and the state that the run began with. If
    /// the model or a tool is asked something else because one of them differs, the run ends with
    /// [`RunError::Journal`], which names the step. Recorded tools do not read the state again. A run that
    /// failed or was dropped has changed its session, so continue it in a new one.
    ///
    /// ```
    /// use onionskin::journal::{JournalErrorKind, MemoryJournal};
    /// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Desk { instruction: "Take orders." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("I note: {input}")]);
    /// let desk = Desk::builder().model(model).journal(MemoryJournal::default()).build().await.unwrap();
    /// let first = desk.request("A lamp.").run_id("order-7").run().await.unwrap();
    /// // A replay, which does not ask the model.
    /// assert_eq!(desk.request("A lamp.").run_id("order-7").run().await.unwrap(), first);
    /// // Another input is another piece of work.
    /// let error = desk.request("A chair.").run_id("order-7").run().await.unwrap_err();
    /// assert!(matches!(error, RunError::Journal { source, .. } if source.kind() == JournalErrorKind::Diverged));
    /// # });
    /// ```
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

    /// Sets the approver for the calls of this run and of the runs beneath it, in place of the agent's approver.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Provides a service for this run and the runs of its children, in place of the builder's service of the same type. The
    /// run does not begin if nothing of the agent or its children takes the type ([`RunError::UnusedService`]).
    ///
    /// ```
    /// use onionskin::{Provided, ScriptedModel, ScriptedTurn, agent, tool};
    /// use serde_json::json;
    ///
    /// struct Account {
    ///     owner: String,
    /// }
    ///
    /// /// Tells whose account it is.
    /// #[tool]
    /// fn owner(account: Provided<Account>) -> String {
    ///     account.owner.clone()
    /// }
    ///
    /// agent! { Bank { instruction: "Serve.", function_tools: [owner] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("owner", json!({})), ScriptedTurn::say("{last}")]);
    /// let bank = Bank::builder().model(model).provide_per_request::<Account>().build().await.unwrap();
    /// let account = Account { owner: "Ada".to_owned() };
    /// assert_eq!(bank.request("Whose?").provide(account).run().await.unwrap().text, "Ada");
    ///
    /// let error = bank.run("Whose?").await.unwrap_err();
    /// assert!(error.to_string().contains("the tool `owner`"), "{error}");
    /// # });
    /// ```
    pub fn provide<T: Service>(self, service: T) -> Self {
        self.provide_shared(Arc::new(service))
    }

    /// As [`Self::provide`], for a service in an [`Arc`], also of a trait object.
    pub fn provide_shared<T: ?Sized + Service>(mut self, service: Arc<T>) -> Self {
        self.services.give(GivenService::new(service));
        self
    }

    /// Sets a token that cancels the run. The run then ends with [`RunError::Cancelled`], and its calls and the runs
    /// beneath it are dropped. The run uses a child of the token, so the end of the run does not cancel the token.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// Runs the agent.
    ///
    /// Cancel safety: as [`AgentHandle::run`].
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(self) -> Result<RunOutput, RunError> {
        self.stream().output().await
    }

    /// Prepares the run and returns its events as a stream. The run makes progress only while the stream is polled. Its
    /// time limit starts with this call.
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
                let services = instance.services_of(&self.services)?;
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
                    correlation_id: self.correlation_id.unwrap_or_else(|| Arc::clone(&run_id)),
                    journal: shared.journal.clone(),
                    deadline,
                    user: self.user,
                    approver: self.approver.or_else(|| shared.approver.clone()),
                    services,
                    history,
                    ..seed(&instance, &session, run_id, events, token.clone())?
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
