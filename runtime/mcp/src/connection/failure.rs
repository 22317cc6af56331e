//! Why a server did not start, for people.

use std::io;
use std::sync::Arc;

use rmcp::service::ClientInitializeError;

use crate::error::StartFailure;
use crate::secrets::Secrets;
use crate::server_config::ServerConfig;
use crate::visible::visible;

/// The output of a process: the first line of its standard output that is not MCP, and the last lines of its standard error.
pub(super) type ProcessOutput = (Option<String>, Vec<String>);

/// The library's error of a handshake, without the names of its types.
pub(super) fn said(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => visible(&error.message),
        ClientInitializeError::ConnectionClosed(_) => "it closed its standard output".to_owned(),
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer is not the result of one".to_owned()
        }
        ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "its answer belongs to another request".to_owned()
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<_> = server_supported.iter().map(|version| visible(version.as_str())).collect();
            format!("it speaks only the protocol {}", versions.join(", "))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => said(fallback),
        other => visible(&other.to_string()),
    }
}

/// The failure of a start: its reason and the next step.
pub(super) fn failure(
    server: &Arc<str>,
    config: &ServerConfig,
    secrets: &Secrets,
    (reason, next_step): (String, &str),
    (stdout, stderr): ProcessOutput,
) -> Box<StartFailure> {
    let unread = config.unread.iter().map(String::as_str);
    Box::new(StartFailure {
        server: server.to_string(),
        command: config.command_line(),
        reason: secrets.hide(reason),
        http: None,
        stdout,
        stderr,
        next_step: std::iter::once(next_step).chain(unread).collect::<Vec<_>>().join("\n"),
    })
}

#[cfg(feature = "mcp-http")]
pub(super) const NOT_MCP_ADDRESS: &str = "Check that the address is one of an MCP server.";
#[cfg(feature = "mcp-http")]
pub(super) const SLOW_ADDRESS: &str =
    "Check that the address is one of an MCP server; if it only needs longer, raise its start timeout.";
pub(super) const ITS_OWN_WORDS: &str = "Run the command in a shell to see what it says.";
pub(super) const NOT_MCP: &str = "Check that the command starts an MCP server that speaks over its standard streams, and that it \
                       writes nothing else to its standard output.";
pub(super) const SLOW: &str = "Check that the command starts an MCP server that speaks over its standard streams; if it only needs \
                    longer, raise its start timeout.";

/// The reason and the next step if there is no thread for a server.
pub(crate) fn no_thread(error: &io::Error) -> (String, &'static str) {
    (format!("no thread could be started for it: {error}"), "Let the program have more threads.")
}

pub(super) fn not_spawned(config: &ServerConfig, error: &io::Error) -> (String, &'static str) {
    // The system says "not found" for both.
    if let Some(cwd) = config.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let next_step = if cwd.starts_with("~") {
            "Write the path of the home directory: `~` is not replaced, and `${HOME}` is."
        } else {
            "Correct its `cwd`."
        };
        return (format!("its working directory `{}` does not exist", cwd.display()), next_step);
    }
    if error.kind() == io::ErrorKind::NotFound && config.command.shown.trim().contains(char::is_whitespace) {
        let next = "`command` is the program only: put the arguments into `args`.";
        return (format!("the command `{}` was not found", config.command.shown), next);
    }
    if error.kind() == io::ErrorKind::NotFound {
        let next = "Install it, or correct `command`; a command without a path is looked up in `PATH`.";
        return (format!("the command `{}` was not found", config.command.shown), next);
    }
    (error.to_string(), "Check that the command is a program that may be run.")
}
