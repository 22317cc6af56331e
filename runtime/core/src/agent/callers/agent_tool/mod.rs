//! [`AgentTool`]: a tool value of any agent.

mod call;

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Effect, ToolDefinition, arguments_schema};
use onionskin_definitions::error::ToolResult;
use onionskin_definitions::schema::{Problem, problem_lines};
use onionskin_tools::context::ToolContext;
use onionskin_tools::event::RunOutput;
use onionskin_tools::session::Session;
use onionskin_tools::spec::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value, json};

use self::call::AgentCall;
use crate::agent::error::run_error::RunError;
use crate::agent::form::input_form::InputForm;

use super::child_tool;
use super::handle::AgentHandle;

/// The parameter by which a model chooses a thread.
const THREAD: &str = "thread";

/// An agent as a tool: one from `agent!`, a hand-written one, or one of an [`App`](crate::agent::App). It is
/// a tool value like any other: pass it to a builder's `.tool(..)`, or call it directly as a [`ToolSpec`]
/// ([`spec`](Self::spec)).
///
/// The agent is built, with its own model, state, hooks, servers, approver and journal. Without its own
/// approver or journal, the caller's is used. Its services ([`Provided`](crate::Provided)) come from its own
/// builder; those declared with `provide_per_request` come from the caller. A child that is declared in
/// `agents: [..]` runs in its parent's session; this agent has its own sessions. Each call runs a new
/// instance without knowledge of the caller or of other calls, unless the call continues a thread. The run is
/// a child of the caller's run: cancellation, time limits, the correlation id, events and steps pass through,
/// and an abort in it aborts the caller. Hooks see it as a child: source `agent`, server name `agent`.
///
/// ```
/// use onionskin::{AgentTool, ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! {
///     Researcher { description: "Looks things up.", instruction: "Answer in one sentence." }
///     Editor { instruction: "Ask, then write." }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let researcher = Researcher::builder().model(ScriptedModel::turns([ScriptedTurn::say("About {input}: yes.")]));
/// let research = AgentTool::new(&researcher.build().await.unwrap())
///     .name("research")
///     .output(|output| Ok(format!("{} ({} turn)", output.text, output.turns).into()))
///     .on_error(|_, error| Ok(format!("no answer: {error}").into()));
///
/// let model = ScriptedModel::turns([
///     ScriptedTurn::call("research", json!({ "input": "tides" })),
///     ScriptedTurn::say("{last}"),
/// ]);
/// let output = Editor::builder().model(model).tool(research).run("Write.").await.unwrap();
/// assert_eq!(output.text, "About tides: yes. (1 turn)");
/// # });
/// ```
///
/// # Threads
///
/// Calls continue one conversation only if code requests it: in a session of the agent
/// ([`thread`](Self::thread)), or in one conversation per session of the caller
/// ([`thread_by`](Self::thread_by)). The model can choose a thread only with
/// [`thread_argument`](Self::thread_argument). Calls that share a thread run sequentially, in the order of
/// arrival; all other calls run concurrently. A call waits for its turn as long as [`timeout`](Self::timeout)
/// and the caller's time allow, and then ends with an error of kind `timeout`. A call from a run of the same
/// thread would wait for itself, and is refused. This covers calls of its tools and of descendants, and
/// direct calls in them, but not calls of tasks that they spawn. Threads that wait for each other end with a
/// `timeout`.
///
/// # Journals
///
/// In the caller's journal the call is one step, like any tool call. Once it is recorded, a replay of the caller
/// returns the recorded result: the agent does not run, and the call is not added to its thread again. A call that was
/// interrupted runs again, and its finished steps are answered from the journal that recorded them: the agent's own
/// journal, if it has one. Keep that journal as long as the caller's. The agent's steps are recorded under the id of
/// the caller's run, in the scope of the call. A caller that runs again with the same `run_id`, with or without a
/// journal, is therefore answered from the records of its earlier run. A new run needs a new id.
#[derive(Clone)]
#[must_use = "an agent tool does nothing until an agent has it or it is called"]
pub struct AgentTool(Arc<Wrapped>);

#[derive(Clone)]
struct Wrapped {
    agent: AgentHandle,
    name: String,
    description: String,
    input: Input,
    output: Option<OutputFn>,
    on_error: Option<OnErrorFn>,
    timeout: Option<Duration>,
    effect: Effect,
    thread: Choice,
    thread_argument: bool,
}

type OutputFn = Arc<dyn Fn(RunOutput) -> ToolResult + Send + Sync>;
type OnErrorFn = Arc<dyn for<'c> Fn(&'c ToolContext, RunError) -> BoxFuture<'c, ToolResult> + Send + Sync>;
type ChooseFn = Arc<dyn Fn(&ToolContext) -> Option<String> + Send + Sync>;
type FitsFn = Arc<dyn Fn(&str) -> Result<String, Vec<Problem>> + Send + Sync>;
type ReadFn = Arc<dyn Fn(Map<String, Value>) -> Result<String, serde_json::Error> + Send + Sync>;

/// The parameters that the model fills, and their conversion to the agent's input.
#[derive(Clone)]
struct Input {
    schema: Value,
    read: ReadFn,
    /// Checks the input again after hooks of the caller changed it.
    fits: FitsFn,
}

/// The thread in which a call continues.
#[derive(Clone)]
enum Choice {
    /// A new conversation.
    Fresh,
    /// This session.
    Session(Session),
    /// The thread with the chosen name in the caller's session.
    Named(ChooseFn),
}

/// The default input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TextInput {
    /// What the agent is asked.
    input: String,
}

impl Input {
    /// The input type that the agent declares.
    fn from_form(form: &Arc<InputForm>) -> Self {
        let (schema, form, changed) = (form.schema().clone(), Arc::clone(form), Arc::clone(form));
        let read = move |arguments| {
            form.read(&Args::new(arguments))
                .map_err(|problems| serde_json::Error::custom(problem_lines(&problems)))
        };
        Self { schema, read: Arc::new(read), fits: Arc::new(move |text| changed.read_text(text)) }
    }

    fn new<T: DeserializeOwned + JsonSchema + 'static>(
        text: impl Fn(&Map<String, Value>, T) -> String + Send + Sync + 'static,
    ) -> Self {
        let schema = arguments_schema::<T>().unwrap_or_else(|| {
            panic!(
                "the input of an agent is a struct with named fields, not `{}`",
                std::any::type_name::<T>()
            )
        });
        let read = move |arguments: Map<String, Value>| {
            let value = T::deserialize(Value::Object(arguments.clone()))?;
            Ok(text(&arguments, value))
        };
        Self { schema, read: Arc::new(read), fits: Arc::new(|text| Ok(text.to_owned())) }
    }
}

impl AgentTool {
    /// Creates a tool from the agent. Its name is `agent__` plus the agent's name, its description is the
    /// agent's, and its parameters are the fields of the agent's declared input, or one text parameter
    /// `input`. The result is the answer as text, or as JSON with a schema if the agent declares its
    /// `output`.
    pub fn new(agent: &AgentHandle) -> Self {
        Self(Arc::new(Wrapped {
            name: child_tool::tool_name(&agent.0.instance),
            description: child_tool::description(&agent.0.instance),
            agent: agent.clone(),
            input: match &agent.0.instance.input {
                Some(form) => Input::from_form(form),
                None => Input::new(|_, arguments: TextInput| arguments.input),
            },
            output: None,
            on_error: None,
            timeout: None,
            effect: agent.0.instance.declaration.settings.effect,
            thread: Choice::Fresh,
            thread_argument: false,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Wrapped)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Sets the tool's name.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|tool| tool.name = name.into())
    }

    /// Sets the tool's description for the model.
    pub fn description(self, text: impl Into<String>) -> Self {
        self.with(|tool| tool.description = text.into())
    }

    /// Replaces `input` with the fields of `T`. The agent gets them as JSON.
    ///
    /// ```
    /// use onionskin::{AgentTool, ScriptedModel, ScriptedTurn, ToolSpec, agent, call};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Question {
    ///     /// What it is about.
    ///     topic: String,
    ///     words: Option<u32>,
    /// }
    ///
    /// agent! { Researcher { instruction: "You are given a topic and a number of words." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("{input}")]);
    /// let researcher = Researcher::builder().model(model).build().await.unwrap();
    /// let tool = AgentTool::new(&researcher).typed::<Question>().spec();
    /// assert_eq!(call!(tool, topic = "tides").await.unwrap(), r#"{"topic":"tides"}"#);
    ///
    /// let tool = AgentTool::new(&researcher).typed_as(|question: Question| format!("What of {}?", question.topic));
    /// assert_eq!(call!(ToolSpec::from(tool), topic = "tides").await.unwrap(), "What of tides?");
    /// # });
    /// ```
    ///
    /// # Panics
    /// Panics if `T` is not deserialised from an object: use a struct with named fields or a map.
    pub fn typed<T: DeserializeOwned + JsonSchema + 'static>(self) -> Self {
        // The type only checks that the values can be read.
        self.with(|tool| {
            let fits = |text: &str| match serde_json::from_str::<T>(text) {
                Ok(_) => Ok(text.to_owned()),
                Err(error) => Err(vec![Problem::from_reader(error.to_string())]),
            };
            let input = Input::new(|arguments, _: T| json!(arguments).to_string());
            tool.input = Input { fits: Arc::new(fits), ..input };
        })
    }

    /// As [`Self::typed`], with a function that converts the value to the agent's input.
    ///
    /// # Panics
    /// As [`Self::typed`].
    pub fn typed_as<T: DeserializeOwned + JsonSchema + 'static>(
        self,
        text: impl Fn(T) -> String + Send + Sync + 'static,
    ) -> Self {
        self.with(|tool| tool.input = Input::new(move |_, input| text(input)))
    }

    /// Sets a function that converts the run's output to the tool's result, in place of its text.
    pub fn output(self, extract: impl Fn(RunOutput) -> ToolResult + Send + Sync + 'static) -> Self {
        self.with(|tool| tool.output = Some(Arc::new(extract)))
    }

    /// Sets a function that converts the error of a run without an answer to the tool's result. The function
    /// is not called for an abort, because an abort cannot be undone.
    pub fn on_error(
        self,
        recover: impl Fn(&ToolContext, RunError) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        self.on_error_async(move |cx, error| Box::pin(ready(recover(cx, error))))
    }

    /// As [`Self::on_error`], for a function that waits: `.on_error_async(|cx, error| Box::pin(async move { .. }))`.
    ///
    /// Cancel safety: a dropped call drops the future of the function.
    pub fn on_error_async(
        self,
        recover: impl for<'c> Fn(&'c ToolContext, RunError) -> BoxFuture<'c, ToolResult> + Send + Sync + 'static,
    ) -> Self {
        self.with(|tool| tool.on_error = Some(Arc::new(recover)))
    }

    /// Sets the maximum time of a call, the wait for its thread included. After that the call ends with an error of
    /// kind `timeout`.
    ///
    /// # Panics
    /// Panics if the time is zero, because no call could succeed.
    pub fn timeout(self, timeout: Duration) -> Self {
        assert!(
            !timeout.is_zero(),
            "the tool `{}` cannot have a timeout of zero: remove it for no limit",
            self.0.name
        );
        self.with(|tool| tool.timeout = Some(timeout))
    }

    /// Sets whether a failed call may be repeated, in place of the agent's own setting
    /// ([`AgentDeclaration::effect`](crate::declaration::AgentDeclaration::effect)). The default of that setting is
    /// [`Effect::Once`].
    pub fn effect(self, effect: Effect) -> Self {
        self.with(|tool| tool.effect = effect)
    }

    /// Continues all calls in this session of the agent ([`AgentHandle::session`]), for all callers. A call from a run
    /// in the same session is refused.
    pub fn thread(self, session: &Session) -> Self {
        self.with(|tool| tool.thread = Choice::Session(session.clone()))
    }

    /// Sets a function that returns the name of each call's thread. Calls with the same agent, user, session
    /// and name continue one conversation, which lives as long as the caller's session. A session has at most
    /// 1024 such threads. A call without a name starts a new conversation.
    ///
    /// `|_| Some("all".to_owned())` creates one thread per session. A call outside a run has no session and
    /// an unknown caller: it is refused if it has a name. Use [`Self::thread`] for such calls.
    pub fn thread_by(self, choose: impl Fn(&ToolContext) -> Option<String> + Send + Sync + 'static) -> Self {
        self.with(|tool| tool.thread = Choice::Named(Arc::new(choose)))
    }

    /// Adds an optional parameter `thread`, with which the model chooses the thread. Calls with the same
    /// agent, user, session and name continue one conversation. A model reaches only threads that it began
    /// with this tool, at most 64. If the model names no thread, the choice of code applies. Outside a run,
    /// such as from an MCP client, a call that names a thread is refused.
    pub fn thread_argument(self) -> Self {
        self.with(|tool| tool.thread_argument = true)
    }

    /// Converts the tool to a [`ToolSpec`].
    ///
    /// # Panics
    /// Panics if the model may choose a thread and the typed input has a field `thread`.
    pub fn spec(self) -> ToolSpec {
        let mut schema = self.0.input.schema.clone();
        if self.0.thread_argument {
            let taken = schema["properties"].get(THREAD).is_some();
            assert!(!taken, "the input of the tool `{}` has a field `{THREAD}`: rename it", self.0.name);
            schema["properties"][THREAD] = json!({
                "type": "string",
                "description": "Goes on in an earlier conversation with this agent, or begins one: any name. Without \
                                it the agent knows nothing of earlier calls.",
                "minLength": 1,
                "maxLength": 64,
            });
        }
        let mut definition = ToolDefinition::new(&self.0.name, &self.0.description).with_input_schema(schema);
        definition.effect = self.0.effect;
        definition.asks = self.0.agent.0.instance.asks;
        let agent = &self.0.agent.0.instance;
        if let Some(answer) = agent.answer.as_ref().filter(|_| self.0.output.is_none()) {
            definition = definition.with_output_schema(answer.output_schema().clone());
        }
        agent.services.per_request().for_each(|service| definition.services.require(service));
        ToolSpec::from_agent(Arc::new(AgentCall::new(self.0, definition)))
    }
}

impl From<AgentTool> for ToolSpec {
    fn from(tool: AgentTool) -> Self {
        tool.spec()
    }
}

impl std::fmt::Debug for AgentTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let agent = self.0.agent.name();
        f.debug_struct("AgentTool").field("name", &self.0.name).field("agent", &agent).finish_non_exhaustive()
    }
}
