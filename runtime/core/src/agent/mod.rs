//! Agents: their declarations, and the loop that runs them.

mod building;
mod built;
mod callers;
pub(crate) mod declaration;
mod error;
mod form;
mod limits;
pub(crate) mod parts;
mod running;
mod seconds;

use std::future::Future;

pub use building::app::{App, AppBuilder};
pub use building::builder::AgentBuilder;
pub use building::typed_agent::{TypedAgent, TypedHandle};
pub use callers::agent_tool::AgentTool;
pub use callers::handle::AgentHandle;
pub use callers::request::RunRequest;
pub use callers::stream::RunStream;
pub use callers::tool_call::ToolCallStream;
pub use callers::typed_run::{TypedRunOutput, TypedRunStream};
pub use declaration::call_filter::CallFilter;
pub use declaration::{AgentDeclaration, DynAgent, RunFn};
pub use error::build_error::BuildError;
pub use error::misuse::MisuseError;
pub use error::run_error::RunError;
pub use error::server_error::ServerError;
pub use form::answer_form::TypedAnswer;
pub use form::input_form::TypedInput;
pub use limits::{Limit, Limits};
pub use parts::compiled_onion::Onion;
pub use parts::run_header::RunHeader;
pub use parts::servers::{IntoToolServer, ProviderRequest, ToolProvider, ToolServer, ToolServers};
pub use parts::settings::{HistoryMergeTarget, HistorySource, Lock, PromptOrder};
pub use parts::strategy::StrategyAnswer;
pub use parts::tool_filter::ToolFilter;
pub use running::ask::Ask;
pub use running::by_hand::ToolResults;
pub use running::run::AgentRun;

/// An agent: an instruction, tools and hooks around a model. `agent!` declares one. A type can also implement the trait
/// by hand; it can then be a child or an entry agent.
///
/// ```
/// use onionskin::{Agent, RunError};
/// use onionskin::declaration::AgentDeclaration;
/// use onionskin::run::AgentRun;
///
/// /// Answers without asking a model.
/// struct Echo;
///
/// impl Agent for Echo {
///     const NAME: &'static str = "echo";
///     type State = ();
///
///     fn declare() -> AgentDeclaration {
///         AgentDeclaration::new().description("Repeats its input.")
///     }
///
///     async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
///         Ok(input)
///     }
/// }
/// ```
///
/// A wrapper of another agent forwards all items that it does not change:
///
/// ```
/// use onionskin::declaration::AgentDeclaration;
/// use onionskin::run::AgentRun;
/// use onionskin::{Agent, RunError, ScriptedModel, ScriptedTurn, agent};
///
/// /// Another agent, with its answers in capital letters.
/// struct Loud<A>(std::marker::PhantomData<fn() -> A>);
///
/// impl<A: Agent> Agent for Loud<A> {
///     const NAME: &'static str = A::NAME;
///     type State = A::State;
///     const AN_AGENT_MUST_NOT_CONTAIN_ITSELF: () = A::AN_AGENT_MUST_NOT_CONTAIN_ITSELF;
///     const DESCRIBED: bool = A::DESCRIBED;
///
///     fn declare() -> AgentDeclaration {
///         A::declare()
///     }
///
///     async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
///         Ok(A::run(run, input).await?.to_uppercase())
///     }
/// }
///
/// type LoudClerk = Loud<Clerk>;
///
/// agent! {
///     Clerk { instruction: "Answer.", description: "Answers questions." }
///     Desk { instruction: "Ask the clerk.", agents: [LoudClerk] }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let asks = ScriptedTurn::call("agent__Clerk", serde_json::json!({ "input": "Hello?" }));
/// let model = ScriptedModel::new()
///     .agent("Desk", [asks, ScriptedTurn::say("{last}")])
///     .agent("Clerk", [ScriptedTurn::say("Good morning.")]);
/// assert_eq!(Desk::builder().model(model).run("Say hello.").await.unwrap().text, "GOOD MORNING.");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    label = "not an agent",
    note = "declare it with `agent!`, or implement `Agent` for the type",
    note = "a tool belongs in `function_tools`, a toolbox in `toolboxes`",
    note = "a workflow is given by its agents: name them; a program with a command line takes the folder too, `--workflow DIR`"
)]
pub trait Agent: Send + Sync + Sized + 'static {
    /// The agent's name. Its parent calls it as the tool `agent__` plus the name.
    const NAME: &'static str;

    /// The type of its state; `()` without a state.
    type State: Clone + Send + Sync + 'static;

    /// Declares the agent: its instruction, tools, hooks and limits. It is called when an agent is built.
    fn declare() -> AgentDeclaration;

    /// Returns a builder of the agent: set its model, state, servers and dynamic hooks, then call
    /// `.build().await`.
    ///
    /// ```
    /// use onionskin::declaration::AgentDeclaration;
    /// use onionskin::{Agent, ScriptedModel, ScriptedTurn};
    ///
    /// struct Clerk;
    ///
    /// impl Agent for Clerk {
    ///     const NAME: &'static str = "Clerk";
    ///     type State = ();
    ///
    ///     fn declare() -> AgentDeclaration {
    ///         AgentDeclaration::new().instruction("Answer.")
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
    /// assert_eq!(Clerk::builder().model(model).run("Hello.").await.unwrap().text, "Good morning.");
    /// # });
    /// ```
    fn builder() -> AgentBuilder<Self> {
        AgentBuilder::default()
    }

    /// In `agent!`, this constant reads the same constant of each child, so an agent that contains itself does not compile: the
    /// compiler's error names the constant. A hand-written agent does not set it. A wrapper of another agent forwards it.
    const AN_AGENT_MUST_NOT_CONTAIN_ITSELF: () = ();

    /// Whether [`Self::declare`] sets a description. `agent!` rejects a child without one. It does not look into a
    /// hand-written agent, which is described by default: without a [description](AgentDeclaration::description) its parents are
    /// not built ([`BuildError::NoDescription`](crate::BuildError::NoDescription)). A wrapper of another agent forwards this
    /// constant.
    const DESCRIBED: bool = true;

    /// Answers one input. The default runs the loop of model turns and tool calls, [`AgentRun::converse`].
    ///
    /// Cancel safety: the runtime drops the future when the run ends early. A panic is [`RunError::Agent`].
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    fn run(run: &AgentRun, input: String) -> impl Future<Output = Result<String, RunError>> + Send {
        run.converse(input)
    }
}
