//! How servers are configured: in code, or from a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::McpError;
use super::fake::FakeServer;
use super::file;
use onionskin_core::secret::Secret;

/// The time for one request: a list page or a call. A call's progress starts it anew.
const REQUEST: Duration = Duration::from_mins(1);
/// The time from starting the process to its first list of tools.
const START: Duration = Duration::from_secs(30);

/// Configured servers, by name.
///
/// ```
/// use onionskin::mcp::{McpConfig, ServerConfig};
/// let mut config = McpConfig::from_json(
///     r#"{"mcpServers": {"time": {"command": "mcp-server-time", "args": ["--local-timezone", "UTC"]}}}"#,
///     "mcp.json",
/// )?;
/// config.insert("files", ServerConfig::stdio("mcp-server-filesystem").arg("/data"));
/// assert_eq!(config.names().collect::<Vec<_>>(), ["files", "time"]);
/// # Ok::<_, onionskin::mcp::McpError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct McpConfig {
    pub(super) servers: BTreeMap<String, Configured>,
    /// What of its files nobody reads.
    pub(super) unread: Vec<String>,
}

/// A server, or why it cannot be used. That matters only if some agent wants it: a shared file may name
/// servers that this program has no use for.
pub(super) type Configured = Result<ServerConfig, McpError>;

impl McpConfig {
    /// No servers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The servers of a `.mcp.json`.
    ///
    /// ```json
    /// {
    ///   "mcpServers": {
    ///     "time": {
    ///       "command": "mcp-server-time",
    ///       "args": ["--local-timezone", "${TZ:-UTC}"],
    ///       "env": { "API_KEY": "${API_KEY}" },
    ///       "cwd": "/srv",
    ///       "timeout": 60000,
    ///       "startTimeout": 30000
    ///     }
    ///   }
    /// }
    /// ```
    ///
    /// `${NAME}` is replaced by that variable of this program's environment, `${NAME:-text}` by `text` where
    /// the variable is unset or empty; in `command`, `args`, `env` and `cwd`. The time limits, of one request
    /// and of the start, are in milliseconds.
    ///
    /// Other programs share such files. What is wrong with one server, also that it is `"disabled": true`, is reached by
    /// URL, or needs a variable which is not set, is an error only once an agent uses it. Fields that are not listed
    /// above are not read: [`Self::unread`] names them, and the notices of the agents that use their server do.
    ///
    /// # Errors
    /// If the file cannot be read, or is not such JSON.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, McpError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| McpError::File { file: file.clone(), reason: error.to_string() })?;
        Self::from_json(&text, &file)
    }

    /// As [`Self::from_file`], from text; errors call it `file`.
    ///
    /// # Errors
    /// As [`Self::from_file`].
    pub fn from_json(text: &str, file: &str) -> Result<Self, McpError> {
        let config = file::read(text, file)?;
        for unread in &config.unread {
            tracing::debug!("{unread}");
        }
        Ok(config)
    }

    /// Adds a server. It replaces one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, server: ServerConfig) {
        self.servers.insert(name.into(), Ok(server));
    }

    /// Adds the servers of another configuration. They replace those of the same name.
    pub fn extend(&mut self, other: Self) {
        self.servers.extend(other.servers);
        self.unread.extend(other.unread);
    }

    /// The names of the servers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The fields of its files that are not read, each with file, line, column and, where a field was likely misspelt,
    /// the one that was meant.
    ///
    /// ```
    /// use onionskin::mcp::McpConfig;
    /// let text = r#"{"mcpServers": {"time": {"command": "mcp-server-time", "timout": 5000}}}"#;
    /// let config = McpConfig::from_json(text, "mcp.json")?;
    /// let unread: Vec<_> = config.unread().collect();
    /// assert_eq!(unread, ["mcp.json:1:66: `mcpServers.time.timout`: unknown field; did you mean `timeout`?"]);
    /// # Ok::<_, onionskin::mcp::McpError>(())
    /// ```
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        let of_servers = self.servers.values().flatten().flat_map(|server| &server.unread);
        self.unread.iter().chain(of_servers).map(String::as_str)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Configured> {
        self.servers.get(name)
    }
}

/// One server: a process that is started, and spoken to over its standard streams.
///
/// It gets this program's environment with the configured variables on top. Values of configured variables
/// are secrets: they are in no error text, log line or `Debug` output. A value whose variable is called like one (its name
/// holds `KEY`, `TOKEN`, `SECRET`, `PASSW`, `CREDENTIAL` or the like), or that was given with [`Self::secret`], is taken out of
/// what the server's tools give back as well. Values of less than six bytes are too short to be looked for.
///
/// ```
/// use std::time::Duration;
/// use onionskin::mcp::ServerConfig;
/// let server = ServerConfig::stdio("mcp-server-git")
///     .args(["--repository", "."])
///     .env("GIT_TOKEN", "not-for-logs")
///     .timeout(Duration::from_secs(10));
/// assert!(!format!("{server:?}").contains("not-for-logs"));
/// ```
#[derive(Clone)]
pub struct ServerConfig {
    pub(super) command: Word,
    pub(super) args: Vec<Word>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) timeout: Duration,
    pub(super) start_timeout: Duration,
    /// Variables whose values were given as secrets.
    pub(super) secrets: BTreeSet<String>,
    /// Variables whose values were written into other fields.
    pub(super) expanded: BTreeMap<String, String>,
    /// What of its entry in a file nobody reads.
    pub(super) unread: Vec<String>,
    /// A server within the program, which is started instead of the command.
    pub(super) fake: Option<FakeServer>,
}

/// A part of the command line: what it is, and what is shown of it.
#[derive(Clone)]
pub(super) struct Word {
    pub(super) value: String,
    pub(super) shown: String,
}

impl From<String> for Word {
    fn from(value: String) -> Self {
        Self { shown: value.clone(), value }
    }
}

impl ServerConfig {
    /// A server that this command starts; it is looked up in `PATH`.
    pub fn stdio(command: impl Into<String>) -> Self {
        Self::new(command.into().into())
    }

    pub(super) fn new(command: Word) -> Self {
        Self {
            command,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            timeout: REQUEST,
            start_timeout: START,
            secrets: BTreeSet::new(),
            expanded: BTreeMap::new(),
            unread: Vec::new(),
            fake: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into().into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.into().into()));
        self
    }

    /// Sets a variable of the server's environment. The value is a secret: see [`ServerConfig`].
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// As [`Self::env`], for a value that the results of the server's tools must not show either, whatever the variable
    /// is called.
    #[must_use]
    pub fn secret(mut self, name: impl Into<String>, value: impl Into<Secret<String>>) -> Self {
        let name = name.into();
        self.secrets.insert(name.clone());
        self.env(name, value.into().expose())
    }

    /// The server's working directory; without it, this program's.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// The time for one request; a call's progress starts it anew, up to ten times its length. Default: one
    /// minute. Zero is an error of the build.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The time from starting the process until its tools are known. Default: half a minute. Zero is an error of the
    /// build.
    #[must_use]
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = timeout;
        self
    }

    /// # Errors
    /// If a time limit is zero, so that every call, or the start, would fail.
    pub(super) fn check(&self, server: &str) -> Result<(), McpError> {
        for (setting, time) in [("timeout", self.timeout), ("start_timeout", self.start_timeout)] {
            if time.is_zero() {
                return Err(McpError::ZeroTimeout { server: server.to_owned(), setting });
            }
        }
        Ok(())
    }

    /// The command line as it was written.
    pub(super) fn command_line(&self) -> String {
        let words = std::iter::once(&self.command).chain(&self.args);
        words.map(|word| word.shown.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("command", &self.command_line())
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .field("start_timeout", &self.start_timeout)
            .finish_non_exhaustive()
    }
}
