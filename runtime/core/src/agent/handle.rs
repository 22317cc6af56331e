//! A built agent as a program holds it.

use std::sync::Arc;

use super::build_error::ServerError;
use super::declaration::RunFn;
use super::instance::Instance;
use super::shared::Shared;
use super::tool_list::ListError;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_tools::onion::caught;
use onionskin_tools::session::Session;

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
        let mut secrets = self.shared.secrets.clone();
        let states = self.shared.states.iter().map(|(id, maker)| {
            let made = caught(|| maker.state.copy(maker.visitor)).map(|(state, visited)| {
                secrets.extend(visited);
                state
            });
            (*id, made)
        });
        let session = Session::new(states.collect());
        session.keep_states_with(
            self.shared.states.iter().map(|(id, maker)| (*id, maker.state.keeper())).collect(),
        );
        session.state().concealed().add(&secrets);
        session.append(&self.instance.messages, 0);
        session
    }

    /// Ends the servers of tools and waits for them. An MCP server that does not end within 2 seconds after its input was closed
    /// is asked to terminate, and is killed after 2 more seconds. All clones of this handle use the same servers: later
    /// calls of their tools are tool errors. Without this call the servers are killed when the last handle is dropped.
    ///
    /// Cancel safety: dropping the future kills the servers that have not ended, once no other handle is left.
    pub async fn shutdown(self) {
        self.shared.servers.shutdown().await;
    }
}

impl std::fmt::Debug for AgentHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentHandle").field("name", &self.name()).finish_non_exhaustive()
    }
}
