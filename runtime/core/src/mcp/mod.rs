//! MCP servers as tool sources: processes that speak the Model Context Protocol over their standard streams.
//!
//! Where they come from: [`AgentBuilder::server`](crate::AgentBuilder::server), a [`McpConfig`], or, for a
//! server that neither names, the `.mcp.json` in the working directory.
//!
//! [`McpServer`] is a server of no agent, whose tools are values.
//!
//! - A server is started once for a program's agents, however many of them use it.
//! - Every request has a time limit. A call that is dropped is cancelled on the server.
//! - A server that dies is started again by the next call, at most three times in a minute.
//! - What a server writes to its standard error is kept for the log and for start errors, and never reaches the terminal.
//!   A model is not shown it.

// The way of a call: `provider` puts a server's tools among an agent's, `tool` checks the arguments, `server`
// finds a living `connection` (or makes one), which owns the `process`, and `answer` reads and checks what comes back.
// Types of the MCP library stay inside this folder.

mod answer;
mod client;
mod config;
mod connection;
mod convert;
mod error;
mod expand;
pub(crate) mod fake;
mod file;
mod filter;
mod home;
mod list;
mod pool;
mod process;
#[cfg(test)]
mod properties;
mod provider;
mod quiet;
mod restart;
mod secrets;
mod server;
mod stderr;
mod tap;
mod tool;
mod visible;
mod wire;

pub use config::{McpConfig, ServerConfig};
pub use error::{McpError, StartFailure};
pub use home::McpServer;
pub(crate) use pool::ServerPool;

pub(crate) use convert::{definition, unwalkable};
