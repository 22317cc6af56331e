//! Errors of servers.

use std::io;
use std::net::SocketAddr;
#[cfg(feature = "skills")]
use std::path::PathBuf;

use onionskin_core::BuildError;
use onionskin_core::export::ExportError;
use onionskin_core::servers::ServerError;

/// The reason why a server cannot be built or does not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The server offers nothing.
    #[error("the server `{server}` offers nothing: add an agent, a tool, a resource or a prompt")]
    #[non_exhaustive]
    Empty {
        /// The server.
        server: String,
    },
    /// The server has the interface over plain HTTP and no agent.
    #[error(
        "the server `{server}` has no agent to run over plain HTTP: add one with `agent`, or leave `api` out"
    )]
    #[non_exhaustive]
    NoAgent {
        /// The server.
        server: String,
    },
    /// The id of a user is blank.
    #[error("the id of a user is blank: give the id that the token or the login has")]
    BlankUser,
    /// Two tools, resources or prompts have one name.
    #[error("the server `{server}` has the {kind} `{name}` twice: rename one of them, or remove it")]
    #[non_exhaustive]
    Duplicate {
        /// The server.
        server: String,
        /// What has the name: `tool`, `resource` or `prompt`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A tool cannot be described in MCP.
    #[error("the tool `{tool}` cannot be served: {source}")]
    #[non_exhaustive]
    Tool {
        /// The tool.
        tool: String,
        /// The reason.
        source: Box<ExportError>,
    },
    /// An icon cannot be served.
    #[error("the icon of {of} cannot be served: {reason}")]
    #[non_exhaustive]
    Icon {
        /// What it is the icon of.
        of: String,
        /// The reason.
        reason: &'static str,
    },
    /// A tool that was added as a value needs something that the server does not have.
    #[error(
        "a tool of the server cannot be used without an agent: {0} Add it to `function_tools` of an agent, and serve its tools"
    )]
    Build(#[from] BuildError),
    /// A source of tools failed when it listed them.
    #[error("the tools of the agent `{agent}` cannot be listed: {source}")]
    #[non_exhaustive]
    List {
        /// The agent.
        agent: String,
        /// The error.
        source: ServerError,
    },
    /// A resource template cannot be read.
    #[error("the resource template `{template}` is not valid: {reason}")]
    #[non_exhaustive]
    Template {
        /// The template.
        template: String,
        /// The reason.
        reason: String,
    },
    /// A folder of skills cannot be read.
    #[cfg(feature = "skills")]
    #[error("the skills of {folder} cannot be served: {reason}")]
    #[non_exhaustive]
    Skills {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    #[non_exhaustive]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// A host is no host of requests.
    #[error("`{host}` is no host: write its name, such as `agents.example.com`, without a scheme and a path")]
    #[non_exhaustive]
    Host {
        /// The host.
        host: String,
    },
    /// Other machines can reach the server, by its address or by a host that it accepts, and no token is required.
    #[error(
        "other machines can reach the server at {address}, and it requires no token: set one with `Http::token`, or listen on a loopback \
         address and accept no other host"
    )]
    #[non_exhaustive]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The operating system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    /// The client broke the protocol before it was ready, or the streams ended.
    #[error("the connection to the client failed: {0}")]
    Connection(String),
}
