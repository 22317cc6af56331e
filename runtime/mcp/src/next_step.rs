//! What people can do about a server that gave no answer.

#[cfg(feature = "mcp-http")]
use std::borrow::Cow;

use super::config::McpConfig;
use super::http_error::HttpError;
use super::server_config::{Link, ServerConfig};
use super::visible::name;

/// What the developer can do; for a program with the command `mcp login`, what the person at the command line can do.
#[cfg(feature = "mcp-http")]
pub(super) fn next_step(error: &HttpError, server: &str, config: &ServerConfig) -> Cow<'static, str> {
    login_step(error, server, config).map_or_else(|| error.next_step_in_code().into(), Cow::from)
}

/// What the person can do who has the command `mcp login`, if the server requires credentials.
pub(super) fn login_step(error: &HttpError, server: &str, config: &ServerConfig) -> Option<String> {
    let login = login_command(server, config)?;
    let challenge = match error {
        HttpError::Unauthorized { challenge } | HttpError::Forbidden { challenge } => challenge.as_deref(),
        HttpError::Login { .. } => return Some(format!("Run `{login}`.")),
        HttpError::Unreachable { .. }
        | HttpError::Interrupted { .. }
        | HttpError::LoginRequired { .. }
        | HttpError::Status { .. }
        | HttpError::Redirected { .. }
        | HttpError::RedirectCircle { .. }
        | HttpError::NotMcp { .. }
        | HttpError::SessionLost => return None,
    };
    let server = name(server);
    Some(if config.has_authorization() {
        format!("Check the header `Authorization` of `{server}` in `.mcp.json`.")
    } else if challenge.is_some_and(|challenge| challenge.contains("resource_metadata")) {
        format!("Run `{login}`.")
    } else {
        format!(
            "Add `headers` to `{server}` in `.mcp.json`; or, if people log in to it in the browser, run `{login}`."
        )
    })
}

/// The command by which a person logs in to this server, if the program has it.
fn login_command(server: &str, config: &ServerConfig) -> Option<String> {
    let has_command = matches!(config.link, Link::Http(_)) && McpConfig::has_login_for_files();
    has_command.then(|| format!("onionskin mcp login {}", name(server)))
}
