//! The arguments of `mcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use onionskin_mcp::snapshot::Snapshot;

#[derive(Subcommand)]
pub(crate) enum McpCommand {
    /// Write what the servers offer to a file, for the compiler and for `check`.
    #[command(long_about = LOCK, after_long_help = LOCK_EXAMPLES)]
    Lock(LockArguments),
    /// Show what the servers offer.
    #[command(long_about = LIST, after_long_help = LIST_EXAMPLES)]
    List(ListArguments),
    /// Log in to a server that requires it, in the browser.
    #[cfg(feature = "mcp-auth")]
    #[command(long_about = LOGIN)]
    Login(LoginArguments),
    /// Forget the login to a server.
    #[cfg(feature = "mcp-auth")]
    #[command(long_about = LOGOUT)]
    Logout(LogoutArguments),
}

#[cfg(feature = "mcp-auth")]
const LOGIN: &str = "\
Log in to a server that is reached by address and requires it, by OAuth: open its page in the browser, and keep the tokens in the user's folder \
of states, in a file that only the user can read. All commands use them, and refresh them.

Exit code: 0 if the server can be used, 2 after an error.";

#[cfg(feature = "mcp-auth")]
const LOGOUT: &str = "\
Remove the tokens that `mcp login` has kept for a server. The login ends at the server by its own page.";

const LOCK: &str = "\
Start the servers, list their tools, and write names, descriptions and schemas to a file: beside `.mcp.json`, and in a package in Rust \
beside `Cargo.toml`.

With the file, `check` checks the names of tools in cards and workflow folders, the compiler those in `agent!`, and an agent reports how its servers differ from it. A server that does not start is an error at the end, and stays as it is in the file. \
Commit the file. It has no commands, variables or addresses of servers, and values of configured variables are hidden in it.

Exit code: 0 if all is well, 1 if `--check` finds a difference, 2 after an error.";

const LOCK_EXAMPLES: &str = "\
Examples:
  {program} mcp lock            lock all servers of .mcp.json
  {program} mcp lock time git   lock these, and keep the others as they are in the file
  {program} mcp lock --check    compare only, for CI";

const LIST: &str = "\
Start the servers and show their tools, each with the first line of its description.

Exit code: 0 if all is well, 2 after an error.";

const LIST_EXAMPLES: &str = "\
Examples:
  {program} mcp list
  {program} mcp list time --json | jq '.servers.time.tools[].name'";

/// Where servers are configured.
pub(crate) const CONFIG: &str = ".mcp.json";

/// Which servers.
#[derive(Args)]
pub(crate) struct ServerArguments {
    /// Only these servers. Default: all of the configuration.
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,

    /// The configuration of the servers. Default: `servers` of the settings, or `.mcp.json`.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Which server.
#[cfg(feature = "mcp-auth")]
#[derive(Args)]
pub(crate) struct LogoutArguments {
    /// The server, by its name in the configuration.
    pub(crate) server: String,

    /// The configuration of the servers. Default: `servers` of the settings, or `.mcp.json`.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[cfg(feature = "mcp-auth")]
#[derive(Args)]
pub(crate) struct LoginArguments {
    #[command(flatten)]
    pub(crate) of: LogoutArguments,

    /// Show the address of the page, and do not open it.
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// Ask for these scopes, in place of those that the server names; repeatable.
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,

    /// Log in as this client, which is registered at the server, in place of registering anew.
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,

    /// The variable of the environment with the secret of the client.
    #[arg(long, value_name = "NAME", requires = "client_id")]
    pub(crate) client_secret_env: Option<String>,

    /// The port of this machine that the browser comes back to, for a client with a registered address. Default: a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}

#[derive(Args)]
pub(crate) struct LockArguments {
    #[command(flatten)]
    pub(crate) of: ServerArguments,

    /// The file to write. `check` and the compiler read it under its default name.
    #[arg(long, value_name = "FILE", default_value = Snapshot::FILE)]
    pub(crate) out: PathBuf,

    /// Write nothing; show how the servers differ from the file.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) of: ServerArguments,

    /// Print JSON, with whole descriptions and schemas.
    #[arg(long)]
    pub(crate) json: bool,
}
