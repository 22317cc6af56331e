//! Requests of runs.

use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use onionskin_definitions::args::Args;
use onionskin_definitions::output::ToolOutput;
use onionskin_definitions::setters;
use onionskin_tools::approval::Approver;
use onionskin_tools::budget::Budget;
use onionskin_tools::event::RunOutput;
use onionskin_tools::model::{BoxModel, Model};
use onionskin_tools::question::{Answer, Answerer, Paused, Resumption};
use onionskin_tools::services::{ProvidedService, Service};
use onionskin_tools::session::Session;
use tokio_util::sync::CancellationToken;

use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::{AnswerForm, TypedAnswer};
use crate::agent::limits::Limits;
use crate::agent::running::called_tool::CalledTool;
use crate::prompt::Prompt;
use crate::run_hook::RunInput;

use super::built::Built;
use super::options::Options;
use super::stream::RunStream;
use super::tool_call::ToolCallStream;
use super::typed_run::{TypedRunOutput, TypedRunStream};

/// The options of a run that has not begun. Created by
/// [`AgentHandle::request`](crate::agent::AgentHandle::request); [`run`](Self::run) or
/// [`stream`](Self::stream) begins the run.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Take notes." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("I note it.")]);
/// let clerk = Clerk::builder().model(model).build().await?;
///
/// let output = clerk.request("A lamp, please.").user("ada").correlation_id("order-7").run().await?;
/// assert_eq!(output.text, "I note it.");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
#[must_use = "a request does nothing until it is run"]
pub struct RunRequest<O = RunOutput> {
    built: Built,
    input: RunInput,
    options: Options,
    output: PhantomData<fn() -> O>,
}

impl<O> RunRequest<O> {
    setters! {
        /// Runs in this session, which [`AgentHandle::session`](crate::agent::AgentHandle::session) created. A
        /// session of another agent works if it contains the states of this agent and its children, as sessions
        /// of one [`App`](crate::agent::App) do. Otherwise the run fails with [`RunError::NoState`].
        ///
        /// Runs in one session are sequential, in the order in which they are first polled. The wait is part of the run's
        /// time limit (`limits`) and ends with [`RunError::Busy`] when the limit is reached. A run that starts within a run
        /// of the same session would wait for itself: it fails with [`RunError::WaitsForItself`].
        session(session: &Session) => options.session = Some(session.clone());

        /// Sets the id of the run in its journal and in the idempotency keys of its calls. A request with the id
        /// of an earlier run replays that run: recorded steps are answered from the journal, and steps that run
        /// again have the same keys. Without this call each run gets a unique id. While a run with this id of the
        /// same agent, or of the same [`App`](crate::agent::App), is in progress, another one fails with
        /// [`RunError::RunIdInUse`].
        ///
        /// Choose one id for each piece of work, such as an order number, so that the program can find it after a
        /// crash. The replay needs the same input, agent, session history and state as the run began with. If one
        /// of them differs so that a request to the model or a tool changes, the run ends with
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
        /// The id is also the correlation id unless [`Self::correlation_id`] sets one.
        run_id(id: impl Into<Arc<str>>) => options.run_id = Some(id.into());

        /// Sets the id of the run and of all its descendants, for people and traces. Several runs may share it.
        /// Nothing is recorded under it.
        correlation_id(id: impl Into<Arc<str>>) => options.correlation_id = Some(id.into());

        /// Sets the user of the run. A cache keeps the results of each user separate. A blank id is no user.
        user(id: impl Into<Arc<str>>) => options.user = Some(id.into()).filter(|id: &Arc<str>| !id.trim().is_empty());

        /// Sets the approver for the calls of this run and its descendants, in place of the agent's approver.
        approver(approver: impl Approver) => options.approver = Some(Arc::new(approver));

        /// Sets who answers the questions of this run and its descendants, in place of the agent's answerer.
        answerer(answerer: impl Answerer) => options.answerer = Some(Arc::new(answerer));

        /// As [`Self::answerer`], for an agent that has no answerer of its own.
        default_answerer(answerer: impl Answerer) => options.default_answerer = Some(Arc::new(answerer));
    }

    /// Answers an open question, by its key, of the run that the request resumes
    /// ([`AgentHandle::resume`](crate::agent::AgentHandle::resume)). If an answer does not fit, the run ends
    /// with [`RunError::Answer`] before it begins, and no answer is recorded.
    pub fn answer(mut self, key: impl Into<String>, answer: impl Into<Answer>) -> Self {
        self.options.resumption.answers.push((key.into(), answer.into()));
        self
    }

    /// Provides a service for this run and the runs of its children, in place of the builder's service of the
    /// same type. The run does not begin if neither the agent nor its children take the type
    /// ([`RunError::UnusedService`]), unless the app [allows it](crate::agent::AppBuilder::allow_unused).
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
        self.options.services.insert(ProvidedService::new(service));
        self
    }

    /// As [`Self::provide`], for a service that the agent and its children need not take: what a program offers to all of its agents.
    pub fn offer<T: Service>(mut self, service: T) -> Self {
        self.options.offered.insert(ProvidedService::new(Arc::new(service)));
        self
    }

    /// Sets parts of the system prompt for this run, in place of the agent's. Child runs keep their own
    /// prompts. A later call replaces parts of an earlier one.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.options.prompt = self.options.prompt.with(prompt);
        self
    }

    /// Asks this model in this run, in place of the agent's. Child runs keep their own models. A resumed run asks the
    /// agent's model unless this method is called again.
    ///
    /// ```
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say("Hm.")])).build().await.unwrap();
    /// let better = ScriptedModel::turns([ScriptedTurn::say("It is 42.")]);
    /// assert_eq!(clerk.request("41 + 1?").model(better).run().await.unwrap().text, "It is 42.");
    /// assert_eq!(clerk.run("41 + 1?").await.unwrap().text, "Hm.");
    /// # });
    /// ```
    pub fn model(mut self, model: impl Model) -> Self {
        self.options.model = Some(BoxModel::new(model));
        self
    }

    /// Sets the limits of this run, in place of the agent's. Child runs keep their own limits. A limit that is zero, so
    /// that nothing could run, ends the run with [`RunError::WrongLimits`].
    ///
    /// ```
    /// use onionskin::declaration::Limits;
    /// use onionskin::run::Limit;
    /// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// agent! { Clerk { instruction: "Add.", function_tools: [add_one] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")]);
    /// let clerk = Clerk::builder().model(model).build().await.unwrap();
    /// let mut limits = Limits::default();
    /// limits.turns = 1;
    /// let error = clerk.request("41 + 1?").limits(limits).run().await.unwrap_err();
    /// assert!(matches!(error, RunError::Limit { limit: Limit::Turns(1), .. }));
    /// assert_eq!(clerk.run("41 + 1?").await.unwrap().text, "42");
    /// # });
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = Some(Box::new(limits));
        self
    }

    /// Adds a budget for this run, beside those of the builder. Its children spend it too. If the run cannot have it, it does
    /// not begin ([`RunError::Budget`]). A resumed run has it only if this method is called again.
    ///
    /// ```
    /// use onionskin::budget::{Budget, BudgetScope};
    /// use onionskin::run::Limit;
    /// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say("Yes.")])).build().await.unwrap();
    /// let little = Budget::new("little", BudgetScope::Run).tokens(2);
    /// let error = clerk.request("Really?").budget(little).run().await.unwrap_err();
    /// assert!(matches!(error, RunError::Limit { limit: Limit::Budget(_), .. }));
    /// assert_eq!(clerk.run("Really?").await.unwrap().text, "Yes.");
    /// # });
    /// ```
    pub fn budget(mut self, budget: Budget) -> Self {
        self.options.budgets.push(Arc::new(budget));
        self
    }

    /// Sets a token that cancels the run. The run then ends with [`RunError::Cancelled`], and its calls and
    /// descendants are dropped. The run uses a child of the token, so the end of the run does not cancel the
    /// token.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.options.cancellation = Some(token);
        self
    }

    /// Sets a token that ends the run between two turns: the model's answer in progress and its calls end as ever, and the run then ends with
    /// [`RunError::Cancelled`] in place of its next turn. So do the runs of its children. A run with a journal
    /// continues there when it [runs again](Self::run_id), with no step in doubt. A server that shuts down uses it, and
    /// [`Self::cancellation`] for the runs that take too long.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use onionskin::event::EventKind;
    /// use onionskin::{CancellationToken, RunError, ScriptedModel, ScriptedTurn, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Sends the parcel.
    /// #[tool]
    /// async fn send() -> &'static str {
    ///     tokio::time::sleep(Duration::from_millis(10)).await;
    ///     "sent"
    /// }
    ///
    /// agent! { Desk { instruction: "Send parcels.", function_tools: [send] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("send", json!({})), ScriptedTurn::say("{last}")]);
    /// let desk = Desk::builder().model(model).build().await.unwrap();
    /// let stop = CancellationToken::new();
    /// let mut run = desk.request("Go.").stop_between_turns(stop.clone()).stream();
    /// let mut sent = 0;
    /// while let Some(event) = run.next().await {
    ///     match event.kind {
    ///         EventKind::ToolStarted { .. } => stop.cancel(),
    ///         EventKind::ToolFinished { .. } => sent += 1,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(sent, 1);
    /// assert!(matches!(run.output().await, Err(RunError::Cancelled { .. })));
    /// # });
    /// ```
    pub fn stop_between_turns(mut self, token: CancellationToken) -> Self {
        self.options.stop = Some(token);
        self
    }

    /// The system prompt of the first turn of this run; `None` if it is empty. The model is not called, no
    /// hook runs, and the journal is not used. Secrets of the session are redacted, as in the request to the
    /// model.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns the error that the run would end with before its first turn.
    pub async fn system_prompt(self) -> Result<Option<String>, RunError> {
        self.options.system_prompt(self.built).await
    }
}

impl RunRequest {
    pub(super) fn new(built: Built, input: RunInput) -> Self {
        Self { built, input, options: Options::default(), output: PhantomData }
    }

    pub(super) fn resume(built: Built, paused: &Paused) -> Self {
        let run = paused.run();
        let called = run.called.clone().map(|tool| Arc::new(CalledTool::new(tool)));
        let options = Options {
            run_id: Some(Arc::clone(&run.run_id)),
            correlation_id: Some(Arc::clone(&run.correlation_id)),
            user: run.user.clone(),
            resumption: Resumption { paused: Some(paused.clone()), answers: Vec::new() },
            called,
            ..Options::default()
        };
        Self { options, ..Self::new(built, RunInput::stored(run.input.clone(), run.attached.clone())) }
    }

    /// Runs the agent.
    ///
    /// Cancel safety: as [`AgentHandle::run`](crate::agent::AgentHandle::run).
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(self) -> Result<RunOutput, RunError> {
        self.stream().output().await
    }

    /// Prepares the run and returns its events as a stream. The run makes progress only while the stream is polled. Its
    /// time limit starts with this call.
    pub fn stream(self) -> RunStream {
        self.options.stream(self.built, self.input)
    }

    /// Runs the agent to an answer of type `T`. The model returns it as structured output, if it supports
    /// that for the type ([`Model::response_schema`](crate::model::Model::response_schema)), and otherwise as
    /// the call of a tool that ends the run. If the answer does not fit, the model is asked again, at most
    /// [`Limits::output_retries`](crate::agent::Limits::output_retries) times. The text of the output is the
    /// answer as JSON.
    ///
    /// The type replaces the declared `output` of the agent, if there is one.
    ///
    /// Cancel safety: as [`AgentHandle::run`](crate::agent::AgentHandle::run).
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer; [`RunError::WrongAnswer`] if none of its answers fits the type;
    /// [`RunError::Unfinished`] if an answer is a refusal or was cut.
    pub fn run_as<T: TypedAnswer>(self) -> BoxFuture<'static, Result<TypedRunOutput<T>, RunError>> {
        self.typed().run()
    }

    /// As [`Self::run_as`], with the events as a stream.
    pub fn stream_as<T: TypedAnswer>(self) -> TypedRunStream<T> {
        self.typed().stream()
    }

    /// The same, with the output as the result of a tool.
    pub(super) fn into_call(self) -> RunRequest<ToolOutput> {
        let Self { built, input, options, .. } = self;
        RunRequest { built, input, options, output: PhantomData }
    }

    pub(in crate::agent) fn typed<T: TypedAnswer>(self) -> RunRequest<TypedRunOutput<T>> {
        let options = Options { answer: Some(AnswerForm::new::<T>), ..self.options };
        RunRequest { built: self.built, input: self.input, options, output: PhantomData }
    }
}

impl RunRequest<ToolOutput> {
    pub(super) fn call_tool(built: Built, tool: Arc<str>, arguments: &Args) -> Self {
        let options = Options { called: Some(Arc::new(CalledTool::new(tool))), ..Options::default() };
        Self { built, input: RunInput::new(&*arguments.text()), options, output: PhantomData }
    }

    /// Runs the call.
    ///
    /// Cancel safety: dropping the future ends the call, and the runs of agents below it.
    ///
    /// # Errors
    /// Returns [`RunError::Tool`] if the tool or a hook fails; other errors as for a run.
    pub async fn run(self) -> Result<ToolOutput, RunError> {
        self.stream().output().await
    }

    /// Prepares the call and returns its events as a stream.
    pub fn stream(self) -> ToolCallStream {
        let (called, instance) = (self.options.called.clone(), Arc::clone(&self.built.instance));
        ToolCallStream::new(self.options.stream(self.built, self.input), called, instance)
    }
}

/// A run whose answer has a type.
impl<T: TypedAnswer> RunRequest<TypedRunOutput<T>> {
    /// Runs the agent to the end; see [`AgentHandle::run_as`](crate::agent::AgentHandle::run_as).
    ///
    /// Cancel safety: as [`AgentHandle::run`](crate::agent::AgentHandle::run).
    ///
    /// # Errors
    /// As [`AgentHandle::run_as`](crate::agent::AgentHandle::run_as).
    pub fn run(self) -> BoxFuture<'static, Result<TypedRunOutput<T>, RunError>> {
        Box::pin(self.stream().output())
    }

    /// Runs the agent and returns its events as a stream.
    pub fn stream(self) -> TypedRunStream<T> {
        let agent = Arc::clone(&self.built.instance.name);
        TypedRunStream::new(self.options.stream(self.built, self.input), agent)
    }
}
