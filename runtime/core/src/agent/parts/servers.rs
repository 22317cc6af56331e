//! The traits for servers of tools.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::run_header::RunHeader;
use super::tool_filter::ToolFilter;
use onionskin_definitions::definition::ServerKind;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;
use onionskin_tools::tool::DynTool;

/// The tools of a server for one agent. They can change while the program runs: an agent lists them again
/// before a turn if [`generation`](Self::generation) changed. A panic in its methods is an error of the build
/// or of the run that calls it.
///
/// The runtime applies the agent's filter, so a provider lists all tools. A `Vec<Arc<dyn DynTool>>` is a
/// provider of tools that do not change.
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use onionskin::servers::ToolProvider;
/// use onionskin::{DynTool, ToolSpec};
///
/// /// One tool for each room of a house, as many as there are now.
/// struct Rooms {
///     server: String,
///     rooms: Arc<AtomicU64>,
/// }
///
/// impl ToolProvider for Rooms {
///     fn generation(&self) -> u64 {
///         self.rooms.load(Ordering::Relaxed)
///     }
///
///     fn tools(&self) -> Vec<Arc<dyn DynTool>> {
///         let switch = |room| -> Arc<dyn DynTool> {
///             let name = format!("{}__switch_{room}", self.server);
///             Arc::new(ToolSpec::from_fn(&name, "Switches the light.", |(): (), _| async { Ok("done") }))
///         };
///         (1..=self.generation()).map(switch).collect()
///     }
/// }
/// ```
pub trait ToolProvider: Send + Sync + 'static {
    /// A number that increases whenever [`tools`](Self::tools) may have changed.
    fn generation(&self) -> u64;

    /// The current tools. The name in a definition is the name that hooks see, `server__tool`: the name in
    /// the agent's `servers`, `__`, and the tool's own name ([`ProviderRequest::tool_name`]). Characters that
    /// model providers reject are replaced for the model. A tool with another name is an error of the build;
    /// in a later list it is left out, and a notice event reports it.
    fn tools(&self) -> Vec<Arc<dyn DynTool>>;

    /// Waits for a list that the server announced but has not returned yet, so that the next turn offers it.
    /// `None`, the default: there is no such list. The provider must bound the wait; if the future ends
    /// without a new list, the turn has the tools of the last one.
    ///
    /// Cancel safety: the runtime drops the future when the run ends.
    fn pending_list(&self) -> Option<BoxFuture<'_, ()>> {
        None
    }

    /// Messages for people since the last call of this method. An agent reports them as notice events.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// The reason why the source leaves out a tool that this pattern names. The pattern is one of the agent's
    /// `tools`, or a tool's own name from the filter of a hook. The error of the build shows the reason,
    /// which names the tool. `None`, the default: the source has no such tool.
    fn left_out(&self, pattern: &str) -> Option<String> {
        let _ = pattern;
        None
    }

    /// The provider for one run, if its tools differ from [`tools`](Self::tools), for example depending on
    /// the user. It is called once per run, before the first turn. The run uses the returned provider, with
    /// its `generation` and `notices`, in place of this one. `None`, the default, means that the tools are
    /// the same in all runs, which then share one table.
    ///
    /// The build checks the names in filters of hooks and in the agent's `tools` against
    /// [`tools`](Self::tools), which [`AgentHandle::tool_names`](crate::AgentHandle::tool_names) returns too.
    /// So that list must have every tool that a run can have, and this method leaves some out.
    ///
    /// An error, or a panic, ends the run before its first turn
    /// ([`RunError::ServerTools`](crate::RunError::ServerTools)). A tool whose definition alone depends on the run does
    /// not need this method: see [`spec::for_each_run`](crate::spec::for_each_run).
    ///
    /// Cancel safety: the runtime drops the future when the run ends.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use onionskin::servers::{BoxError, ToolProvider};
    /// use onionskin::{BoxFuture, DynTool, RunContext};
    ///
    /// /// All tools; without those for staff, if a guest asks.
    /// struct Desk {
    ///     all: Vec<Arc<dyn DynTool>>,
    /// }
    ///
    /// impl ToolProvider for Desk {
    ///     fn generation(&self) -> u64 {
    ///         0
    ///     }
    ///
    ///     fn tools(&self) -> Vec<Arc<dyn DynTool>> {
    ///         self.all.clone()
    ///     }
    ///
    ///     fn for_run<'a>(
    ///         &'a self,
    ///         run: &'a RunContext,
    ///     ) -> Option<BoxFuture<'a, Result<Arc<dyn ToolProvider>, BoxError>>> {
    ///         Some(Box::pin(async move {
    ///             let is_staff = run.user().ok_or("the run has no user")?.ends_with("@example.com");
    ///             let mut tools = self.all.clone();
    ///             tools.retain(|tool| is_staff || !tool.definition().name.contains("__staff_"));
    ///             Ok(Arc::new(tools) as Arc<dyn ToolProvider>)
    ///         }))
    ///     }
    /// }
    /// ```
    fn for_run<'a>(
        &'a self,
        run: &'a RunContext,
    ) -> Option<BoxFuture<'a, Result<Arc<dyn ToolProvider>, BoxError>>> {
        let _ = run;
        None
    }
}

/// Tools that do not change.
impl ToolProvider for Vec<Arc<dyn DynTool>> {
    fn generation(&self) -> u64 {
        0
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        self.clone()
    }
}

/// A server of tools, which agents name in `servers`. The agents of one program share it. A panic in its
/// methods is an error of the build, or of the run that calls it; a panic during shutdown is reported to
/// `tracing`.
///
/// A server without a separate configuration type is passed to the builders directly:
///
/// ```
/// use std::sync::Arc;
/// use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
/// use onionskin::{DynTool, ScriptedModel, ScriptedTurn, ToolSpec, agent};
///
/// struct Clock;
///
/// impl ToolServer for Clock {
///     fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
///         let noon = ToolSpec::from_fn(&request.tool_name("noon"), "The hour of noon.", |(): (), _| async { Ok(12) });
///         let tools: Vec<Arc<dyn DynTool>> = vec![Arc::new(noon)];
///         Ok(Arc::new(tools))
///     }
/// }
///
/// agent! { Desk { instruction: "Answer.", servers: [clock] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("clock__noon", serde_json::json!({})), ScriptedTurn::say("{last}")]);
/// let desk = Desk::builder().model(model).server("clock", Clock).build().await.unwrap();
/// assert_eq!(desk.run("When is noon?").await.unwrap().text, "12");
/// # });
/// ```
pub trait ToolServer: Send + Sync + 'static {
    /// Starts the server. The runtime awaits the future once, before it calls the other methods. The default does
    /// nothing.
    ///
    /// Cancel safety: the runtime drops the future if the build is dropped. The server is then killed.
    ///
    /// # Errors
    /// Returns an error if the server does not start. The agents are then not built.
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async { Ok(()) })
    }

    /// The tools for an agent. The runtime applies the agent's filter; a pattern that matches no tool is an
    /// error of the build ([`BuildError::NoServerTool`](crate::BuildError::NoServerTool)).
    ///
    /// # Errors
    /// Returns an error if the server has no tools for this agent.
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError>;

    /// The tools by which an agent lists and reads the resources of the server whose URIs match the filter of the request: data in place of
    /// functions. The runtime applies no filter to these tools.
    ///
    /// # Errors
    /// Returns an error if the server has no resources. The default does so.
    fn resources(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let _ = request;
        Err("it has no resources".into())
    }

    /// The tools by which an agent lists and gets the prompts of the server whose names match the filter of the request. The runtime applies no
    /// filter to these tools.
    ///
    /// # Errors
    /// Returns an error if the server has no prompts. The default does so.
    fn prompts(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let _ = request;
        Err("it has no prompts".into())
    }

    /// The kind of the server, which filters of hooks, events and contexts show as the
    /// [`ToolSource`](crate::definition::ToolSource) of its tools. Default: [`ServerKind::Other`].
    fn kind(&self) -> ServerKind {
        ServerKind::Other
    }

    /// Ends the server and waits for its end. Calls of its tools after that are tool errors. The default calls
    /// [`kill`](Self::kill).
    ///
    /// Cancel safety: if the future is dropped, the server may still run until it is killed.
    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.kill() })
    }

    /// Kills the server at once. The runtime calls this when the last agent is dropped. The default does nothing.
    fn kill(&self) {}
}

/// A request for the tools of a server: which agent uses them, and under which name.
///
/// ```
/// use onionskin::servers::{ProviderRequest, ToolFilter};
///
/// let filter = ToolFilter::all();
/// let request = ProviderRequest::new("Clerk", "stock", &filter);
/// assert_eq!(request.tool_name("count"), "stock__count");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ProviderRequest<'a> {
    agent: &'a str,
    server: &'a str,
    filter: &'a ToolFilter,
    snapshot: Option<&'a str>,
    is_lock_strict: bool,
    headers: &'a [RunHeader],
}

impl<'a> ProviderRequest<'a> {
    /// Creates a request without a snapshot, for tests of a server.
    pub fn new(agent: &'a str, server: &'a str, filter: &'a ToolFilter) -> Self {
        Self { agent, server, filter, snapshot: None, is_lock_strict: false, headers: &[] }
    }

    /// Sets the snapshot.
    #[must_use]
    pub fn with_snapshot(self, snapshot: Option<&'a str>) -> Self {
        Self { snapshot, ..self }
    }

    /// Sets whether the agent has `lock: strict`.
    #[must_use]
    pub fn with_strict_lock(self, is_lock_strict: bool) -> Self {
        Self { is_lock_strict, ..self }
    }

    /// Sets the headers of the agent's calls.
    #[must_use]
    pub fn with_headers(self, headers: &'a [RunHeader]) -> Self {
        Self { headers, ..self }
    }

    /// The agent's name.
    pub fn agent(&self) -> &'a str {
        self.agent
    }

    /// The name of the server in the agent's `servers`.
    pub fn server(&self) -> &'a str {
        self.server
    }

    /// The filter of the agent: for the names of tools, which the runtime applies, so a server needs it only to save work by listing fewer
    /// tools; for the URIs of resources, and for the names of prompts, which the server applies.
    pub fn filter(&self) -> &'a ToolFilter {
        self.filter
    }

    /// The snapshot of the servers' tools in the agent's declaration
    /// ([`AgentDeclaration::server_snapshot`](crate::declaration::AgentDeclaration::server_snapshot)). A
    /// server that knows the format compares its tools with it.
    pub fn snapshot(&self) -> Option<&'a str> {
        self.snapshot
    }

    /// Whether the agent has `lock: strict`. A server that compares its tools with a snapshot must then omit
    /// those that differ, and fail without a snapshot.
    pub fn is_lock_strict(&self) -> bool {
        self.is_lock_strict
    }

    /// The headers of the agent's calls. The last one of a name counts. Only a server of the kind [`ServerKind::Mcp`] gets any, and it
    /// must send them or fail.
    pub fn headers(&self) -> &'a [RunHeader] {
        self.headers
    }

    /// The name in the definition of a tool with the server's own name `own`: `server__own`.
    pub fn tool_name(&self, own: &str) -> String {
        format!("{}__{own}", self.server)
    }
}

/// The configuration of one server, for the builders' `server` method. A [`ToolServer`] is its own configuration.
///
/// A separate type is useful for a configuration that can be wrong, or that needs the server's name:
///
/// ```
/// use std::sync::Arc;
/// use onionskin::servers::{BoxError, IntoToolServer, ProviderRequest, ToolProvider, ToolServer};
/// use onionskin::{DynTool, ToolSpec};
///
/// /// The number of rooms, from a setting.
/// struct Rooms(String);
///
/// struct House {
///     rooms: u32,
/// }
///
/// impl IntoToolServer for Rooms {
///     fn into_server(self, name: &str) -> Result<Arc<dyn ToolServer>, BoxError> {
///         let rooms = self.0.parse().map_err(|error| format!("`{name}` needs a number of rooms: {error}"))?;
///         Ok(Arc::new(House { rooms }))
///     }
/// }
///
/// impl ToolServer for House {
///     fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
///         let rooms = self.rooms;
///         let count = move |(): (), _| async move { Ok(rooms) };
///         let tool = ToolSpec::from_fn(&request.tool_name("count"), "Counts the rooms.", count);
///         Ok(Arc::new(vec![Arc::new(tool) as Arc<dyn DynTool>]))
///     }
/// }
///
/// let error = Rooms("many".into()).into_server("house").err().unwrap();
/// assert!(error.to_string().starts_with("`house` needs a number of rooms: "));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a server of tools",
    label = "not a server",
    note = "for an MCP server write `mcp::ServerConfig::stdio(..)` (feature `mcp`); a source of your own implements `ToolServer`"
)]
pub trait IntoToolServer {
    /// Creates the server with this name, without starting it.
    ///
    /// # Errors
    /// Returns an error if the configuration is not usable.
    fn into_server(self, name: &str) -> Result<Arc<dyn ToolServer>, BoxError>;
}

#[diagnostic::do_not_recommend]
impl<T: ToolServer> IntoToolServer for T {
    fn into_server(self, _: &str) -> Result<Arc<dyn ToolServer>, BoxError> {
        Ok(Arc::new(self))
    }
}

/// The configurations of several servers, for the builders' `servers` method.
///
/// ```
/// use std::sync::Arc;
/// use onionskin::servers::{BoxError, ToolServer, ToolServers};
///
/// /// Servers that a program has made in advance.
/// struct Made(Vec<(String, Arc<dyn ToolServer>)>);
///
/// impl ToolServers for Made {
///     fn names(&self) -> Result<Vec<String>, BoxError> {
///         Ok(self.0.iter().map(|(name, _)| name.clone()).collect())
///     }
///
///     fn server(&self, name: &str) -> Result<Option<Arc<dyn ToolServer>>, BoxError> {
///         Ok(self.0.iter().find(|made| made.0 == name).map(|made| Arc::clone(&made.1)))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a configuration of servers",
    label = "no servers of tools",
    note = "for a file write `mcp::McpConfig::from_file(..)` (feature `mcp`), and for one server `.server(name, ..)`"
)]
pub trait ToolServers: Send + Sync + 'static {
    /// The names of the servers.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be read.
    fn names(&self) -> Result<Vec<String>, BoxError>;

    /// Creates the server of this name without starting it; `None` if it is not configured.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be read or is not usable.
    fn server(&self, name: &str) -> Result<Option<Arc<dyn ToolServer>>, BoxError>;
}
