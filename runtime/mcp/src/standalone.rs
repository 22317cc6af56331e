//! A server without an agent; its tools are values.

use std::fmt;
use std::sync::Arc;

use super::connection_thread::ConnectionThread;
use super::error::McpError;
use super::prompt_text::McpText;
use super::server::{RemoteTool, Server};
use super::server_config::ServerConfig;
use super::server_data::Data;
use super::tool::McpTool;
use super::unconnected::{self, McpDescription};
use onionskin_core::ToolSpec;
use onionskin_core::spec::SpecError;
use serde_json::{Map, Value};

/// A running server, and its tools as values. It is cheap to clone. When the last clone and the last of its tools are
/// dropped, the process is killed.
///
/// ```no_run
/// use onionskin::call;
/// use onionskin::mcp::{McpServer, ServerConfig};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let server = McpServer::start("time", ServerConfig::stdio("mcp-server-time")).await?;
/// let now = server.tool("get_current_time").expect("the server has it");
/// println!("{}", call!(now, timezone = "UTC").await.map_err(|exit| exit.to_string())?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer(Arc<ConnectionThread>);

impl McpServer {
    /// Starts the server, shakes hands with it and lists its tools. The connection runs on a thread of its own, so the
    /// tools can be called from any tokio runtime, and from synchronous code.
    ///
    /// Cancel safety: dropping the future kills the server.
    ///
    /// # Errors
    /// Returns an error if a time limit of the configuration is zero, the server does not start, or its tools cannot be
    /// listed.
    pub async fn start(name: &str, config: ServerConfig) -> Result<Self, McpError> {
        ConnectionThread::start(name, config).await.map(Self)
    }

    /// The server's name, as given to [`Self::start`].
    pub fn name(&self) -> &str {
        &self.0.server.name
    }

    /// The tools that the server listed last. Each is named `server__tool`, as in an agent. A tool whose texts try to give the model other
    /// instructions is left out, and a warning in the log names it.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.listed().map(|tool| self.spec(McpTool::new(self.server(), tool))).collect()
    }

    /// The tool with this name, as the server calls it (`get_time`, not `time__get_time`); `None` if it is not one of
    /// [`Self::tools`]. A tool that is left out because of its texts can be [imported](Self::import) after you have read them.
    pub fn tool(&self, name: &str) -> Option<ToolSpec> {
        let tool = self.listed().find(|tool| &*tool.name == name)?;
        Some(self.spec(McpTool::new(self.server(), tool)))
    }

    /// A resource as a part of the system prompt, which each turn reads anew; an empty one leaves the part out. A resource that is no text or
    /// that cannot be read, and a server that asks for input first, end the run ([`RunError::Prompt`](onionskin_core::RunError::Prompt)).
    ///
    /// ```no_run
    /// use onionskin::mcp::{McpServer, ServerConfig};
    /// use onionskin::prompt::{Prompt, PromptPart};
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! {
    ///     Guide { instruction: "Answer questions about the house." }
    /// }
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let docs = McpServer::start("docs", ServerConfig::stdio("docs-server")).await?;
    /// let prompt = Prompt::new().source(PromptPart::Knowledge, docs.resource("file:///house.md"));
    /// let model = ScriptedModel::turns([ScriptedTurn::say("It has two floors.")]);
    /// let guide = Guide::builder().model(model).prompt(prompt).build().await?;
    /// println!("{}", guide.run("How many floors does it have?").await?.text);
    /// # Ok(())
    /// # }
    /// ```
    pub fn resource(&self, uri: impl Into<String>) -> McpText {
        let arguments = Map::from_iter([("uri".to_owned(), Value::String(uri.into()))]);
        McpText::new(Arc::clone(&self.0), Data::Resources, arguments)
    }

    /// A prompt of the server with these arguments, as a part of the system prompt. It is used as [`Self::resource`] is.
    ///
    /// ```no_run
    /// use onionskin::mcp::{McpServer, ServerConfig};
    /// use onionskin::prompt::{Prompt, PromptPart};
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let docs = McpServer::start("docs", ServerConfig::stdio("docs-server")).await?;
    /// let review = docs.prompt("review", [("language", "Rust")]);
    /// let prompt = Prompt::new().source(PromptPart::AdditionalContext, review);
    /// # let _ = prompt;
    /// # Ok(())
    /// # }
    /// ```
    pub fn prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> McpText {
        let arguments = arguments.into_iter().map(|(key, value)| (key.into(), Value::String(value.into())));
        let arguments = Map::from_iter([
            ("name".to_owned(), Value::String(name.into())),
            ("arguments".to_owned(), Value::Object(arguments.collect())),
        ]);
        McpText::new(Arc::clone(&self.0), Data::Prompts, arguments)
    }

    fn listed(&self) -> impl Iterator<Item = RemoteTool> + use<> {
        let tools = self.0.server.tools();
        (0..tools.len()).map(move |index| tools[index].clone()).filter(|tool| tool.instructs.is_none())
    }

    /// Makes a tool of this server from a description that comes from elsewhere, for example from a file. The first call
    /// shows whether the server has it.
    ///
    /// # Errors
    /// Returns an error if the value is not the description of a tool.
    pub fn import(&self, description: impl McpDescription) -> Result<ToolSpec, SpecError> {
        let tool = self.0.server.tool(unconnected::read(description)?);
        Ok(self.spec(McpTool::new(self.server(), tool)))
    }

    /// Ends the server and waits for it. A process that does not end within 2 seconds after its input was closed is
    /// asked to terminate, and is killed after 2 more seconds. Later calls of its tools are tool errors, for all
    /// clones.
    ///
    /// Cancel safety: dropping the future kills the server with its last clone.
    pub async fn shutdown(self) {
        self.0.shutdown().await;
    }

    fn server(&self) -> Arc<Server> {
        Arc::clone(&self.0.server)
    }

    fn spec(&self, tool: McpTool) -> ToolSpec {
        tool.at(Arc::clone(&self.0)).spec()
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("name", &self.name()).finish_non_exhaustive()
    }
}
