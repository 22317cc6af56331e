//! Any agent as a tool value.

mod call;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use self::call::AgentCall;
use super::child;
use super::error::RunError;
use super::handle::AgentHandle;
use crate::context::ToolContext;
use crate::definition::{Effect, ToolDefinition, arguments_schema};
use crate::error::ToolResult;
use crate::event::RunOutput;
use crate::session::Session;
use crate::spec::ToolSpec;

/// The parameter by which a model chooses a thread.
const THREAD: &str = "thread";

/// Any agent as a tool: one of `agent!`, one written by hand, one of an [`App`](super::App). It is a tool value as any
/// other: `.tool(..)` of a builder takes it, [`spec`](Self::spec) makes a [`ToolSpec`] of it, which can be called
/// directly.
///
/// The agent is a built one, with its model, state, hooks, servers, approver and journal; without an approver of its own,
/// the caller's is asked, and without a journal of its own, the caller's records its steps. Where a child that is declared
/// in `agents: [..]` lives in its parent's session, this one has sessions of its own: each call runs a fresh instance that
/// knows nothing of the caller or of other calls, unless it goes on in a thread. The run stands beneath the caller's: cancelling, time
/// limits, the correlation id, events and steps reach it, and an abort in it aborts the caller. Hooks see it as they see
/// a child: source `agent`, server name `agent`.
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
/// Calls go on in one conversation if code says so: in a session of the agent ([`thread`](Self::thread)), or in one for
/// each session of the caller ([`thread_by`](Self::thread_by)). The model chooses only with
/// [`thread_argument`](Self::thread_argument). Calls that share a thread run one after the other, in the order in which
/// they come; all others run at the same time. A call waits for its turn as long as [`timeout`](Self::timeout) and the
/// caller's time allow, and ends with an error of kind `timeout` if the thread was busy so long. One that is made within a
/// run of that very thread would wait for itself, and is refused: the run knows the calls of its tools and of runs beneath
/// it, and direct calls in them (not those of tasks that they spawn). Threads that wait for each other only end in time
/// with a `timeout`.
///
/// # Journals
///
/// In the caller's journal the call is one step, as any tool's: once it is recorded, a replay of the caller gives its
/// result again, and the agent does not run (nor does the call go into its thread again). A call that was cut half way
/// runs again, and then its finished steps are answered from where they were recorded: from the agent's own journal, if it
/// has one, so keep that one as long as the caller's. The agent's steps stand there under the id of the caller's run, in
/// the scope of the call. A caller that runs again with the same `run_id`, whether it has a journal or not, is therefore answered
/// from what its earlier run left: a new run needs a new id.
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
type OnErrorFn = Arc<dyn Fn(&ToolContext, RunError) -> ToolResult + Send + Sync>;
type ChooseFn = Arc<dyn Fn(&ToolContext) -> Option<String> + Send + Sync>;
type ReadFn = Arc<dyn Fn(Map<String, Value>) -> Result<String, serde_json::Error> + Send + Sync>;

/// What the model fills, and what the agent is told of it.
#[derive(Clone)]
struct Input {
    schema: Value,
    read: ReadFn,
}

/// Which thread a call goes on in.
#[derive(Clone)]
enum Choice {
    /// None.
    Fresh,
    /// This one.
    Session(Session),
    /// The one of this name in the caller's session.
    Named(ChooseFn),
}

/// The input where nothing else is said.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// What the agent is asked.
    input: String,
}

impl Input {
    fn new<T: DeserializeOwned + JsonSchema + 'static>(
        text: impl Fn(&Map<String, Value>, T) -> String + Send + Sync + 'static,
    ) -> Self {
        let schema = arguments_schema::<T>().unwrap_or_else(|| {
            panic!(
                "the input of an agent is a struct with named fields, not `{}`",
                std::any::type_name::<T>()
            )
        });
        let read = move |given: Map<String, Value>| {
            let value = T::deserialize(Value::Object(given.clone()))?;
            Ok(text(&given, value))
        };
        Self { schema, read: Arc::new(read) }
    }
}

impl AgentTool {
    /// The agent as a tool that is called `agent__` and the agent's name, says the agent's description, and takes one text
    /// `input`.
    pub fn new(agent: &AgentHandle) -> Self {
        Self(Arc::new(Wrapped {
            name: child::tool_name(&agent.instance),
            description: child::description(&agent.instance),
            agent: agent.clone(),
            input: Input::new(|_, asked: Asked| asked.input),
            output: None,
            on_error: None,
            timeout: None,
            effect: agent.instance.effect,
            thread: Choice::Fresh,
            thread_argument: false,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Wrapped)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// What the model calls it.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|tool| tool.name = name.into())
    }

    /// What the model knows it by.
    pub fn description(self, text: impl Into<String>) -> Self {
        self.with(|tool| tool.description = text.into())
    }

    /// The fields of `T` are what the model fills, in place of `input`. The agent is told them as JSON.
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
    /// If `T` is not read from an object: a struct with named fields or a map.
    pub fn typed<T: DeserializeOwned + JsonSchema + 'static>(self) -> Self {
        // That it can be read is all that is asked of the type.
        self.with(|tool| tool.input = Input::new(|given, _: T| json!(given).to_string()))
    }

    /// As [`Self::typed`], and this text is what the agent is told.
    ///
    /// # Panics
    /// As [`Self::typed`].
    pub fn typed_as<T: DeserializeOwned + JsonSchema + 'static>(
        self,
        text: impl Fn(T) -> String + Send + Sync + 'static,
    ) -> Self {
        self.with(|tool| tool.input = Input::new(move |_, input| text(input)))
    }

    /// Makes the tool's result of what the run gave, in place of its text.
    pub fn output(self, extract: impl Fn(RunOutput) -> ToolResult + Send + Sync + 'static) -> Self {
        self.with(|tool| tool.output = Some(Arc::new(extract)))
    }

    /// Makes the tool's result of a run without an answer, in place of an error that the model is told. An abort is not
    /// asked about: nothing can undo it.
    pub fn on_error(
        self,
        recover: impl Fn(&ToolContext, RunError) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        self.with(|tool| tool.on_error = Some(Arc::new(recover)))
    }

    /// How long a call may take, the wait for its thread's turn included. It then ends with an error of kind `timeout`.
    ///
    /// # Panics
    /// If it is zero: no call could succeed.
    pub fn timeout(self, timeout: Duration) -> Self {
        assert!(
            !timeout.is_zero(),
            "the tool `{}` cannot have a timeout of zero: leave it out for none",
            self.0.name
        );
        self.with(|tool| tool.timeout = Some(timeout))
    }

    /// Whether a call that failed may be made again, in place of what the agent says of itself
    /// ([`AgentDeclaration::effect`](crate::declaration::AgentDeclaration::effect)), which is [`Effect::Once`] if it says nothing.
    pub fn effect(self, effect: Effect) -> Self {
        self.with(|tool| tool.effect = effect)
    }

    /// All calls go on in this session of the agent ([`AgentHandle::session`]), whoever calls. It must not be the
    /// caller's own: such a call is refused.
    pub fn thread(self, session: &Session) -> Self {
        self.with(|tool| tool.thread = Choice::Session(session.clone()))
    }

    /// Code chooses the thread of each call, by name: calls by one agent for one user from one session with one name go on in
    /// one conversation, which lives as long as that session; at most 1024 in each. Without a name a call is on its own.
    ///
    /// `|_| Some("all".to_owned())` gives each session one thread. A call outside of any run has no session, and who makes
    /// it is not known: one with a name is refused, and [`Self::thread`] is what goes on there.
    pub fn thread_by(self, choose: impl Fn(&ToolContext) -> Option<String> + Send + Sync + 'static) -> Self {
        self.with(|tool| tool.thread = Choice::Named(Arc::new(choose)))
    }

    /// Lets the model choose: the tool gets an optional parameter `thread`, and calls by one agent for one user from one
    /// session that give one name go on in one conversation. A model reaches only threads that it began itself by this
    /// tool, at most 64 of them; where it names none, what code chose holds. Outside of any run, such as from an MCP
    /// client, a call that names one is refused.
    pub fn thread_argument(self) -> Self {
        self.with(|tool| tool.thread_argument = true)
    }

    /// The tool as a value.
    ///
    /// # Panics
    /// If the model may choose a thread and the typed input has a field `thread` of its own.
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
        ToolSpec::of_agent(Arc::new(AgentCall::new(self.0, definition)))
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
