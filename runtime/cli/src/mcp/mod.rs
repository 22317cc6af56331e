//! `mcp` has the commands for MCP servers.

mod arguments;
mod list;
mod lock;
#[cfg(feature = "mcp-auth")]
mod login;
mod servers;

use std::process::ExitCode;

pub(crate) use arguments::{CONFIG, LockArguments, McpCommand, ServerArguments};
pub(crate) use lock::{update_command, with_command};
#[cfg(feature = "mcp-auth")]
pub(crate) use login::use_stored_logins;

use crate::failure::Failure;
use crate::program::Program;
use crate::signals::until_signal;

pub(crate) async fn run(program: &Program, command: McpCommand) -> Result<ExitCode, Failure> {
    until_signal(async {
        match command {
            McpCommand::Lock(arguments) => lock::run(program, arguments).await,
            McpCommand::List(arguments) => list::run(program, arguments).await,
            #[cfg(feature = "mcp-auth")]
            McpCommand::Login(arguments) => Box::pin(login::run(program, arguments)).await,
            #[cfg(feature = "mcp-auth")]
            McpCommand::Logout(arguments) => login::forget(program, arguments).await,
        }
    })
    .await
}
