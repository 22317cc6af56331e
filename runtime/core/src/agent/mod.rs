//! Agents: what `agent!` declares, and the loop that runs it.

mod agent_tool;
mod answer_form;
mod answers;
mod app;
mod app_runs;
mod aside;
mod ask;
mod assembly;
mod attached;
mod batch;
mod build_error;
mod builder;
mod built;
mod by_hand;
mod call_filter;
mod child_tool;
mod compiled_declaration;
mod compiled_hook;
mod compiled_onion;
mod declaration;
mod declared;
mod declared_at_run_time;
mod declared_guardrail;
pub(crate) mod declared_settings;
mod describe;
mod drive;
mod guardrails;
mod handle;
mod hook_names;
mod identities;
mod initial_state;
mod input_form;
mod instance;
mod json_form;
mod limits;
mod message_hooks;
mod misuse;
mod model_request;
mod open_calls;
mod open_work;
pub mod outline;
mod parts;
mod pause;
mod preflight;
mod prompt;
mod request;
mod request_hash;
mod run;
mod run_error;
mod run_hooks;
mod run_ids;
mod seconds;
mod server_pool;
mod servers;
mod services;
pub mod settings;
mod setup;
mod shared;
mod shown_deltas;
mod spans;
mod strategy;
mod stream;
mod tool_call;
mod tool_checks;
mod tool_filter;
mod tool_list;
mod toolboxes;
mod turn_hooks;
mod turns;
mod typed_agent;
mod typed_run;
mod unfinished_call;
mod worded;

use std::future::Future;

pub use agent_tool::AgentTool;
pub use answer_form::TypedAnswer;
pub use app::{App, AppBuilder};
pub use ask::Ask;
pub use build_error::{BuildError, ServerError};
pub use builder::AgentBuilder;
pub use by_hand::ToolResults;
pub use call_filter::CallFilter;
pub use compiled_onion::Onion;
pub use declaration::{AgentDeclaration, DynAgent, RunFn};
pub use handle::AgentHandle;
pub use input_form::TypedInput;
pub use limits::{Limit, Limits};
pub use misuse::MisuseError;
pub use request::RunRequest;
pub use run::AgentRun;
pub use run_error::RunError;
pub use servers::{IntoToolServer, ProviderRequest, ToolProvider, ToolServer, ToolServers};
pub use settings::{HistoryMergeTarget, HistorySource, Lock};
pub use strategy::StrategyAnswer;
pub use stream::{Finish, RunStream};
pub use tool_filter::ToolFilter;
pub use typed_agent::{TypedAgent, TypedHandle};
pub use typed_run::{TypedRunOutput, TypedRunStream};

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

    /// Begins to build the agent: give it a model, a state, servers and dynamic hooks, then `.build().await`.
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
