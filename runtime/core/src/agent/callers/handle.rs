//! The handle of a built agent.

use std::any::type_name;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use onionskin_definitions::args::Args;
use onionskin_definitions::debug_fields;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::ToolError;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::event::RunOutput;
use onionskin_tools::journal::Journal;
use onionskin_tools::onion::{MadeBy, caught};
use onionskin_tools::question::Paused;
use onionskin_tools::services::ServiceTypes;
use onionskin_tools::session::{Session, SessionError, Sessions};
use onionskin_tools::tool::Works;
use onionskin_vocabulary::tool_name;

use crate::agent::built::stored_sessions::StoredSessions;
use crate::agent::built::tool_checks::other_than;
use crate::agent::built::tool_list::ListError;
use crate::agent::declaration::works_on;
use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::agent::error::server_error::ServerError;
use crate::agent::form::answer_form::TypedAnswer;
use crate::message_hook::{AddedHook, DynMessageHook, MessageHook};
use crate::run_hook::RunInput;

use super::built::Built;
use super::child_tool;
use super::request::RunRequest;
use super::stream::RunStream;
use super::typed_run::TypedRunOutput;

/// A built agent: its tools, hooks, connections and model. Created by
/// [`AgentBuilder::build`](crate::agent::AgentBuilder::build) and [`App`](crate::agent::App). Cloning is
/// cheap; clones share everything.
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
pub struct AgentHandle(pub(in crate::agent) Built);

impl AgentHandle {
    /// Runs the agent in a new session.
    ///
    /// Cancel safety: dropping the future ends the run and its child runs. The history of the session keeps
    /// the messages until then ([`RunRequest::session`]).
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(&self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        self.request(input).run().await
    }

    /// Runs the agent in a new session, to an answer of a type; see [`RunRequest::run_as`].
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// As [`RunRequest::run_as`].
    pub fn run_as<T: TypedAnswer>(
        &self,
        input: impl Into<RunInput>,
    ) -> BoxFuture<'static, Result<TypedRunOutput<T>, RunError>> {
        self.request(input).run_as()
    }

    /// Prepares a run in a new session and returns its events as a stream. The run makes progress only while the stream
    /// is polled. Its time limit starts with this call.
    pub fn stream(&self, input: impl Into<RunInput>) -> RunStream {
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
    pub fn request(&self, input: impl Into<RunInput>) -> RunRequest {
        RunRequest::new(self.0.clone(), input.into())
    }

    /// Prepares the continuation of a paused run, with its id, its input and its user. Pass answers to
    /// [`RunRequest::answer`]. A question without an answer stays open, and the run pauses again when it
    /// needs the answer. So does a question whose text, arguments or schema changed since the person saw it.
    /// Earlier steps of the run are not repeated: they are answered from their records. Hooks run again, as
    /// in any replay.
    ///
    /// The session of the run is reset to its start. If the run began in a new session, set nothing.
    /// Otherwise set the same session ([`RunRequest::session`]), or in another process one with the same
    /// history and state. A resumed run has a new time limit.
    ///
    /// ```
    /// use onionskin::question::{Answer, Paused};
    /// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Pays.
    /// #[tool(approval, effect = once)]
    /// fn pay(cents: u32) -> String {
    ///     format!("paid {cents}")
    /// }
    ///
    /// agent! { Payer { instruction: "Pay.", function_tools: [pay] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
    /// let payer = Payer::builder().model(model).build().await.unwrap();
    /// let Err(RunError::Paused(paused)) = payer.run("Pay.").await else { panic!("it pauses") };
    /// let stored = serde_json::to_string(&paused).unwrap();
    ///
    /// // Later, also in another process:
    /// let paused: Paused = serde_json::from_str(&stored).unwrap();
    /// let question = &paused.questions()[0];
    /// assert_eq!((question.tool_name(), &question.arguments()["cents"]), ("pay", &json!(5)));
    /// let output = payer.resume(&paused).answer(question.key(), Answer::allow()).run().await.unwrap();
    /// assert_eq!(output.text, "paid 5");
    /// # });
    /// ```
    pub fn resume(&self, paused: &Paused) -> RunRequest {
        RunRequest::resume(self.0.clone(), paused)
    }

    /// Prepares a call of one of the agent's tools, as the model would make it, by the name that the model or the hooks know: through
    /// the agent's hooks and guardrails, with approval, limits and budgets. The model is not asked, and hooks on runs, turns and
    /// messages do not run. Each call is a run of its own, in a new session unless [`RunRequest::session`] sets one.
    ///
    /// ```
    /// use onionskin::{RunError, ScriptedModel, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Divides two numbers.
    /// #[tool]
    /// fn divide(a: i64, b: i64) -> Result<i64, String> {
    ///     a.checked_div(b).ok_or_else(|| "`b` is zero".to_owned())
    /// }
    ///
    /// agent! { Desk { instruction: "Divide.", function_tools: [divide] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let desk = Desk::builder().model(ScriptedModel::new()).build().await.unwrap();
    /// let output = desk.call_tool("divide", json!({ "a": 6, "b": 2 })).user("ada").run().await.unwrap();
    /// assert_eq!(output.to_text(), "3");
    /// let error = desk.call_tool("divide", json!({ "a": 6, "b": 0 })).run().await.unwrap_err();
    /// assert!(matches!(error, RunError::Tool { .. }));
    /// # });
    /// ```
    pub fn call_tool(&self, name: impl Into<Arc<str>>, arguments: impl Into<Args>) -> RunRequest<ToolOutput> {
        RunRequest::call_tool(self.0.clone(), name.into(), &arguments.into())
    }

    /// Prepares a run of the agent from arguments of a call, as a parent calls it: `{"input": ".."}`, or the fields of its typed
    /// input ([`Self::definition`]). A typed answer is the structured content of the output.
    ///
    /// ```
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    /// use serde_json::json;
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("You said: {input}")]);
    /// let clerk = Clerk::builder().model(model).build().await.unwrap();
    /// let output = clerk.call(json!({ "input": "Hello." })).unwrap().run().await.unwrap();
    /// assert_eq!(output.to_text(), "You said: Hello.");
    /// assert!(clerk.call(json!({ "inptu": "Hello." })).is_err());
    /// # });
    /// ```
    ///
    /// # Errors
    /// Returns an error for the model that names each wrong argument.
    pub fn call(&self, arguments: impl Into<Args>) -> Result<RunRequest<ToolOutput>, ToolError> {
        let input = child_tool::read_input(&self.0.instance, &self.definition(), &arguments.into())?;
        Ok(self.request(input).into_call())
    }

    /// Prepares the continuation of a paused call of [`Self::call`] or [`Self::call_tool`]; as [`Self::resume`].
    pub fn resume_call(&self, paused: &Paused) -> RunRequest<ToolOutput> {
        self.resume(paused).into_call()
    }

    /// The definition of the agent as a tool: its name, with `_` in place of blanks, and its description, the schema of its input, and that of
    /// its answer if it has a type. A parent shows it to the model under another name.
    pub fn definition(&self) -> ToolDefinition {
        let mut definition = child_tool::definition(&self.0.instance);
        definition.name = tool_name(self.name()).into();
        definition
    }

    /// The system prompt of a run in a new session; `None` if it is empty. See [`RunRequest::system_prompt`].
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// As [`RunRequest::system_prompt`].
    pub async fn system_prompt(&self) -> Result<Option<String>, RunError> {
        self.request("").system_prompt().await
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.0.instance.name
    }

    /// The current names of its tools, as hooks see them
    /// ([`ToolContext::tool_name`](crate::ToolContext::tool_name)). A server can have other tools in one run
    /// ([`ToolProvider::for_run`](crate::servers::ToolProvider::for_run)). [`Self::tool_definitions`] returns
    /// the names for the model.
    ///
    /// # Errors
    /// Returns an error if a server panics while it lists its tools. A run then fails too.
    pub fn tool_names(&self) -> Result<Vec<String>, ServerError> {
        let tools = self.0.instance.tools.tools(None).map_err(ListError::into_server_error)?;
        Ok(tools.table.entries().iter().map(|entry| entry.name.to_string()).collect())
    }

    /// The current definitions of its tools for the model, under the names that the model uses. The exports
    /// use them. Until a server changes its tools, each call returns the same list ([`Arc::ptr_eq`]).
    ///
    /// # Errors
    /// As [`Self::tool_names`].
    pub fn tool_definitions(&self) -> Result<Arc<[ToolDefinition]>, ServerError> {
        Ok(self.0.instance.tools.tools(None).map_err(ListError::into_server_error)?.table.shown())
    }

    /// Adds a hook on the messages of the agent's later runs, behind its other ones. Runs in progress keep theirs. All
    /// clones of this handle share the hooks, and so do parents that call the agent. Create the hook of a
    /// `#[message_hook]` function with `new`; its kind is the place in the attribute.
    ///
    /// A paused run that is resumed later, and a run that is replayed from a journal, has the hooks of that time.
    ///
    /// ```
    /// use onionskin::message_hooks::{SentMessage, message_hook};
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// /// Keeps a key out of all messages.
    /// #[message_hook(process_message_before_send)]
    /// fn no_key(message: &mut SentMessage) {
    ///     message.change_texts(|text| Some(text.replace("k-17", "[key]")));
    /// }
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("You said: {input}")]);
    /// let clerk = Clerk::builder().model(model).build().await.unwrap();
    /// clerk.register_hook(no_key::new()).unwrap();
    /// assert_eq!(clerk.run("It is k-17.").await.unwrap().text, "You said: It is [key].");
    /// # });
    /// ```
    ///
    /// # Errors
    /// Returns an error if the hook takes another state than the agent's ([`BuildError::HookState`]), a service that
    /// is not provided ([`BuildError::NoService`]), or panics. A service that each request provides counts only if a part
    /// of the agent takes it too, because other requests need not have it. The agent is then unchanged.
    pub fn register_hook<H>(&self, hook: H) -> Result<(), BuildError>
    where
        H: MessageHook<Made: MadeBy<H, State: Works>>,
    {
        let instance = &self.0.instance;
        let (agent, state) = (&*instance.name, instance.state);
        if let Some(other) = other_than(state, &works_on::<H, H::Made>()) {
            let (hook, takes) = (type_name::<H>(), other.name());
            return Err(BuildError::HookState { agent: agent.to_owned(), hook, takes, state: state.name() });
        }
        let hook: Arc<dyn DynMessageHook> = Arc::new(hook);
        let panicked = |reason| {
            BuildError::panicked(
                agent,
                format!("a hook that is registered at the agent `{agent}` panicked"),
                reason,
            )
        };
        let mut taken = ServiceTypes::default();
        caught(|| hook.services_dyn(&mut taken)).map_err(panicked)?;
        instance.services.check_added(
            agent,
            state,
            &format!("the message hook `{}`", hook.name()),
            &taken,
        )?;
        instance.add_message_hook(AddedHook::new(hook).map_err(panicked)?);
        Ok(())
    }

    /// Creates a session: a conversation with its own history and state. It begins with the agent's initial
    /// messages and copies of its initial states. Pass it to [`RunRequest::session`].
    pub fn session(&self) -> Session {
        self.0.session()
    }

    /// Opens the stored session with an id, or begins it. A new session begins like one of [`Self::session`]. Opening it
    /// again while it is in use returns the same session.
    ///
    /// Each run of the session reads first what other processes appended, and stores what it does. Runs of one session
    /// take turns, also those of other processes.
    ///
    /// ```
    /// use onionskin::AgentHandle;
    ///
    /// async fn reply(desk: &AgentHandle, ticket: u32, text: &str) -> Result<String, Box<dyn std::error::Error>> {
    ///     let session = desk.open_session(format!("ticket-{ticket}")).await?;
    ///     Ok(desk.request(text).session(&session).run().await?.text)
    /// }
    /// # let _ = reply;
    /// ```
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns an error if there is no [session store](crate::agent::AgentBuilder::session_store), if the id is not
    /// valid, or if the session cannot be read.
    pub async fn open_session(&self, id: impl Into<Arc<str>>) -> Result<Session, SessionError> {
        self.0.open_session(id.into()).await
    }

    /// The stored sessions, to list, read, copy or delete them; `None` without a
    /// [session store](crate::agent::AgentBuilder::session_store). They are those of all agents with this store.
    ///
    /// ```
    /// use onionskin::sessions::{MemorySessions, SessionQuery};
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Take notes." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("I note it.")]);
    /// let clerk = Clerk::builder().model(model).session_store(MemorySessions::default()).build().await.unwrap();
    /// let session = clerk.open_session("ticket-7").await.unwrap();
    /// clerk.request("A lamp, please.").session(&session).run().await.unwrap();
    /// let page = clerk.sessions().unwrap().list(&SessionQuery::default()).await.unwrap();
    /// assert_eq!(&*page.sessions[0].id, "ticket-7");
    /// # });
    /// ```
    pub fn sessions(&self) -> Option<Sessions> {
        self.0.shared.sessions.as_ref().map(StoredSessions::all)
    }

    /// The journal, for the crates of the runtime that keep what they need to continue its runs.
    #[doc(hidden)]
    pub fn journal(&self) -> Option<&dyn Journal> {
        self.0.shared.journal.as_deref()
    }

    /// Ends the servers of tools and waits for them. An MCP server that does not end within 2 seconds after
    /// its input was closed is asked to terminate, and is killed after 2 more seconds. All clones of this
    /// handle share the servers: later calls of their tools fail with tool errors. Without this call the
    /// servers are killed when the last handle is dropped.
    ///
    /// Cancel safety: dropping the future kills the servers that have not ended, once no other handle is left.
    pub async fn shutdown(self) {
        self.0.shared.servers.shutdown().await;
    }
}

debug_fields!(AgentHandle: this => name: this.name());
