//! The errors of servers and their tools.

use std::fmt;

use super::http_error::HttpError;

/// The reason why a server, or one of its tools, is not available. No text contains a value of the server's environment.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// A configuration file could not be read.
    #[error("cannot read `{file}`: {reason}")]
    #[non_exhaustive]
    File {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// A configuration file has a mistake.
    #[error("{file}:{line}:{column}: {}{reason}", at(.field))]
    #[non_exhaustive]
    Config {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1, in bytes.
        column: usize,
        /// The field, by path: `mcpServers.time.args`. Empty for the file as a whole.
        field: String,
        /// The mistake.
        reason: String,
    },
    /// A server is switched off in its file, by `disabled` or `enabled`.
    #[error(
        "{file}:{line}:{column}: {}the server is disabled; switch it on, remove it from the agent's `servers`, or configure it in code",
        at(.field)
    )]
    #[non_exhaustive]
    Disabled {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1, in bytes.
        column: usize,
        /// The field, by path: `mcpServers.time.disabled`.
        field: String,
    },
    /// A time limit of a server is zero.
    #[error(
        "the MCP server `{server}` has a `{setting}` of zero; set a longer time, or remove `.{setting}(..)`"
    )]
    #[non_exhaustive]
    ZeroTimeout {
        /// The server.
        server: String,
        /// `timeout` or `start_timeout`.
        setting: &'static str,
    },
    /// A setting of a server has no effect, because servers that are reached in this way do not have it.
    #[error("{} has no effect on the MCP server `{server}`: {}", misplaced(setting), placed(setting))]
    #[non_exhaustive]
    Misplaced {
        /// The server.
        server: String,
        /// The setting: `header`, `header_for_run`, `oauth`, or one of a process, such as `env`; or `headers` of an agent.
        setting: &'static str,
    },
    /// The address of a server, or one of its headers, cannot be used.
    #[error("the {} of the MCP server `{server}` cannot be used: {reason}", part(header.as_deref()))]
    #[non_exhaustive]
    Address {
        /// The server.
        server: String,
        /// The header; `None` for the address.
        header: Option<String>,
        /// The mistake.
        reason: String,
    },
    /// A setting of the login to a server cannot be used.
    #[error("`.{setting}(..)` of the login to the MCP server `{server}` cannot be used: {reason}")]
    #[non_exhaustive]
    Login {
        /// The server.
        server: String,
        /// The setting: a method of `OAuth`.
        setting: &'static str,
        /// The mistake.
        reason: String,
    },
    /// A server differs from the lock file of an agent with `lock: strict`.
    #[error("{drift}; the agent is not built, because it says `lock: strict`")]
    #[non_exhaustive]
    Drifted {
        /// The server.
        server: String,
        /// The difference.
        drift: String,
    },
    /// An agent with `lock: strict` uses a server that no lock file has.
    #[error(
        "the MCP server `{server}` is not in `onionskin-mcp.lock.json`, and the agent says `lock: strict`; run `onionskin mcp lock` to add it"
    )]
    #[non_exhaustive]
    Unlocked {
        /// The server.
        server: String,
    },
    /// A server did not start.
    #[error(transparent)]
    Start(Box<StartFailure>),
    /// A server started and its tools could not be listed.
    #[error("the tools of the MCP server `{server}` could not be listed: {reason}")]
    #[non_exhaustive]
    List {
        /// The server.
        server: String,
        /// The reason.
        reason: String,
        /// The failed exchange with a server that is reached by address.
        http: Option<HttpError>,
    },
}

impl McpError {
    /// Whether the server refuses requests with these credentials, or without.
    pub(crate) fn needs_credentials(&self) -> bool {
        let http = match self {
            Self::Start(failure) => &failure.http,
            Self::List { http, .. } => http,
            Self::File { .. }
            | Self::Config { .. }
            | Self::Disabled { .. }
            | Self::ZeroTimeout { .. }
            | Self::Misplaced { .. }
            | Self::Address { .. }
            | Self::Login { .. }
            | Self::Drifted { .. }
            | Self::Unlocked { .. } => &None,
        };
        matches!(http, Some(HttpError::Unauthorized { .. } | HttpError::Forbidden { .. }))
    }

    /// The error for a server whose tools are not known before a run.
    pub(crate) fn not_locked(self) -> Self {
        const NEXT: &str = "Its tools have to be known before a run: lock them with `onionskin mcp lock`, or give it a `header` to list them.";
        match self {
            Self::Start(mut failure) => {
                failure.next_step = format!("{NEXT}\n{}", failure.next_step);
                Self::Start(failure)
            }
            Self::List { server, reason, http } => {
                Self::List { server, reason: format!("{reason}. {NEXT}"), http }
            }
            other @ (Self::File { .. }
            | Self::Config { .. }
            | Self::Disabled { .. }
            | Self::ZeroTimeout { .. }
            | Self::Misplaced { .. }
            | Self::Address { .. }
            | Self::Login { .. }
            | Self::Drifted { .. }
            | Self::Unlocked { .. }) => other,
        }
    }

    /// The error for a server that is in no lock file, although its agent has `lock: strict`.
    pub fn unlocked(server: impl Into<String>) -> Self {
        Self::Unlocked { server: server.into() }
    }
}

/// A server that did not start: the command, the reason, and what to do.
///
/// It is for people who run the program. A model whose call restarts a server gets only the reason, because the output of a
/// server may concern the calls of others.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StartFailure {
    /// The server.
    pub server: String,
    /// Its command with the arguments, as they were written in the configuration; or its address, without the query.
    pub command: String,
    /// The reason.
    pub reason: String,
    /// The failed exchange with a server that is reached by address.
    pub http: Option<HttpError>,
    /// The first line that it wrote to its standard output, if that is not MCP.
    pub stdout: Option<String>,
    /// The last lines that it wrote to its standard error.
    pub stderr: Vec<String>,
    /// What the developer can do; then a line for each field of its configuration that was not read.
    pub next_step: String,
}

impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the MCP server `{}` (`{}`) did not start: {}", self.server, self.command, self.reason)?;
        if let Some(line) = &self.stdout {
            write!(f, "; it wrote `{line}` to its standard output, which is not MCP")?;
        }
        if !self.stderr.is_empty() {
            f.write_str("\nthe last lines of its standard error:")?;
        }
        self.stderr.iter().try_for_each(|line| write!(f, "\n  {line}"))?;
        write!(f, "\n{}", self.next_step)
    }
}

impl std::error::Error for StartFailure {}

/// The field of agents, which is no setting of a `ServerConfig`.
pub(crate) const AGENT_HEADERS: &str = "headers";

fn misplaced(setting: &str) -> String {
    if setting == AGENT_HEADERS {
        format!("the field `{setting}` of the agent")
    } else {
        format!("`.{setting}(..)`")
    }
}

fn placed(setting: &str) -> &'static str {
    if setting.starts_with("header") || setting == "oauth" {
        "it is for a server that is reached by address; write `ServerConfig::http`, or remove it"
    } else {
        "it is reached by address, and this is for a process that the program starts; remove it"
    }
}

fn part(header: Option<&str>) -> String {
    header.map_or_else(|| "address".to_owned(), |name| format!("header `{name}`"))
}

fn at(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("`{field}`: ") }
}
