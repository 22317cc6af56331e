//! Agents: what `agent!` declares, and the loop that runs it.

mod app;
mod ask;
mod assembly;
mod batch;
mod builder;
mod call;
mod checks;
mod child;
mod declaration;
mod error;
mod fate;
mod given;
mod handle;
mod instance;
mod named;
mod prompt;
mod run;
mod servers;
mod setup;
mod stream;
mod tool;
mod toolboxes;

use std::future::Future;

pub use app::{App, AppBuilder};
pub use builder::AgentBuilder;
pub use declaration::{AgentDeclaration, ChildLink, HistoryMergeTarget, HistorySource, Limits, Onion};
pub use error::{BuildError, Limit, RunError};
pub use handle::{AgentHandle, RunRequest};
pub use run::AgentRun;
pub use servers::{BoxError, IntoToolServer, ServerError, ToolProvider, ToolServer, ToolServers};
pub use stream::{Finish, RunStream};
pub use tool::AgentTool;

/// An agent: an instruction, tools and hooks around a model. `agent!` declares one; a type of your own may
/// implement it by hand, and can then be a child or an entry as any other.
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
///         AgentDeclaration::new(Self::NAME).description("Says what it is told.")
///     }
///
///     async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
///         Ok(input)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    label = "not an agent",
    note = "declare it with `agent!`, or implement `Agent` for the type",
    note = "a tool belongs in `function_tools`, a toolbox in `toolboxes`"
)]
pub trait Agent: Send + Sync + Sized + 'static {
    /// The agent's name.
    const NAME: &'static str;

    /// The type of its state; `()` if it has none.
    type State: Clone + Send + Sync + 'static;

    /// Everything that is declared of it.
    fn declare() -> AgentDeclaration;

    /// Evaluated for every agent: an agent that contains itself cannot be.
    #[doc(hidden)]
    const AN_AGENT_MUST_NOT_CONTAIN_ITSELF: () = ();

    /// Whether `agent!` saw a description; one that is written by hand says it in [`Self::declare`].
    #[doc(hidden)]
    const DESCRIBED: bool = true;

    /// The agent as a child.
    #[doc(hidden)]
    fn link() -> ChildLink {
        ChildLink::of::<Self>()
    }

    /// Answers one input. The default is the loop of model turns and tool calls.
    ///
    /// # Errors
    /// If there is no answer.
    fn run(run: &AgentRun, input: String) -> impl Future<Output = Result<String, RunError>> + Send {
        run.converse(input)
    }
}
