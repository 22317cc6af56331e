//! MCP servers as tool sources: processes that speak the Model Context Protocol over their standard streams.
//!
//! [`AgentBuilder::server`](onionskin_core::declaration::AgentBuilder::server) configures one, a [`McpConfig`] several. If
//! neither names a server, the `.mcp.json` of the working directory does.
//!
//! [`McpServer`] is a server without an agent; its tools are values. [`snapshot`] keeps what servers offer in a file, by which the compiler
//! checks names.
//!
//! - A server is started once, also if several agents use it.
//! - Every request has a time limit. A call that is dropped is cancelled on the server.
//! - A server that dies is started again by the next call, at most three times in a minute.
//! - The standard error of a server goes into the log and into start errors, never to the terminal or to a model.

// The path of a call: `provider` adds a server's tools to those of an agent, `tool` checks the arguments and `order` lets calls that change something run one after the other, `server`
// finds a living `connection` (or makes one, by `restart`), which owns the `process`, and `answer` reads and checks the
// result, whose files `resources` makes readable. `list_tools` reads a list, within bounds, `normal_schema` brings its schemas into one form, and `descriptions` and `instructions` look at its texts; `announced` counts the changes that
// `relist` lists. The connection of a server without an agent (`standalone`) runs on a thread of its own (`connection_thread`). `config` holds
// the servers of a program, from a file (`mcp_json`, with `comments` and `tool_rules`) or from code, each a `server_config`. `snapshot` keeps what servers offer in a
// file, `take_snapshot` starts servers for it, and `provider` compares. A server that is reached by address has an `endpoint`, is spoken to over `http`, and fails with an
// `http_error`; `pool` has its connections with the credentials of runs, and `auth` its logins. `grants` says what a server may ask this client for, and `server_log` writes its log.
// A call whose server asks a person is `asking`: an `elicitation` on the way, or what is `input_required` before the call is made again.
// Types of rmcp are public only with the feature `rmcp3`, whose name contains the major version.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod announced;
mod answer;
mod argument_names;
mod asking;
#[cfg(feature = "mcp-auth")]
mod auth;
mod client;
mod comments;
mod config;
mod connection;
mod connection_thread;
mod convert;
mod descriptions;
mod directory;
mod drift_policy;
mod elicitation;
mod endpoint;
mod env_vars;
mod error;
#[cfg(feature = "rmcp3")]
mod export;
mod fake;
mod file;
mod grants;
#[cfg(feature = "mcp-http")]
mod http;
mod http_error;
mod input_required;
mod instructions;
mod list_tools;
mod mcp_json;
mod mutex;
mod next_step;
mod normal_schema;
mod order;
mod pages;
mod pool;
mod process;
mod prompt_text;
#[cfg(test)]
mod property_tests;
mod provider;
mod relist;
mod resources;
mod restart;
#[cfg(feature = "mcp-server")]
mod route;
mod secrets;
mod server;
mod server_config;
mod server_data;
mod server_log;
pub mod snapshot;
mod standalone;
mod stderr;
mod take_snapshot;
mod tap;
mod tool;
mod tool_rules;
mod tool_spec;
mod unconnected;
mod untraced_thread;
mod visible;
mod wire;

#[cfg(feature = "mcp-auth")]
pub use auth::{Login, OAuth, OAuthError, TokenFolder, TokenStore};
pub use config::McpConfig;
pub use directory::WorkingDirectory;
pub use error::{McpError, StartFailure};
#[cfg(feature = "rmcp3")]
pub use export::export_tool;
pub use http_error::{HttpError, LoginAddress};
pub use prompt_text::McpText;
pub use server_config::ServerConfig;
pub use standalone::McpServer;
pub use tool_spec::McpToolSpec;
pub use unconnected::{McpDescription, NotConnected};

/// A server of closures, for tests.
pub mod testing {
    pub use crate::fake::{FakeAnswer, FakeServer};
}
