//! The servers that a program configures: in code, or from a file.

use std::collections::BTreeMap;
use std::path::Path;
#[cfg(feature = "mcp-auth")]
use std::sync::OnceLock;

#[cfg(feature = "mcp-auth")]
use super::auth::OAuth;
use super::error::McpError;
use super::file;
use super::mcp_json::{self, Configured};
use super::server_config::{Link, ServerConfig};

/// The login of the servers in files.
#[cfg(feature = "mcp-auth")]
static LOGIN: OnceLock<OAuth> = OnceLock::new();

/// The largest `.mcp.json` that is read.
const MOST_BYTES: usize = 8 << 20;

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
    servers: BTreeMap<String, Configured>,
    /// The ignored fields of its files.
    unread: Vec<String>,
}

impl McpConfig {
    /// Makes a configuration without servers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the servers of a `.mcp.json`.
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
    ///       "startTimeout": 30000,
    ///       "parallel": true
    ///     },
    ///     "issues": {
    ///       "type": "http",
    ///       "url": "https://example.com/mcp",
    ///       "headers": { "Authorization": "Bearer ${ISSUES_TOKEN}" }
    ///     }
    ///   }
    /// }
    /// ```
    ///
    /// In `command`, `args`, `env`, `cwd`, `url` and `headers`, `${NAME}` is replaced by this variable of the program's environment, and
    /// `${NAME:-text}` by `text` if the variable is unset or empty; `${env:NAME}`, as editors write it, is `${NAME}`. The file of VS Code calls the
    /// servers `servers`, which is read where there are no `mcpServers`. The time limits, of one request and of the start, are in
    /// milliseconds; `parallel` is [`ServerConfig::parallel`]. Comments, trailing commas and a byte order mark are read as editors write them.
    ///
    /// Fields by which people take tools away are obeyed, in the forms of the known programs: `disabled` and `enabled`; lists of the tools
    /// to offer (`tools`, `enabledTools`, `includeTools`, `allowedTools`, ..) and of those to leave out (`disabledTools`, `excludeTools`, ..),
    /// with `*` for any text; and lists of the tools that run without approval (`autoApprove`, `alwaysAllow`, `trust`), beside which
    /// the calls of all other tools of the server need approval. An unknown field whose name speaks of tools, allowing, denying or the like
    /// is an error.
    ///
    /// Other programs share such files. So a mistake in one server is an error only when an agent uses that server; the same is
    /// true if it is `"disabled": true`, or needs a variable that is not set. Other fields than those above
    /// are ignored: [`Self::unread`] lists them, and so do the notices of the agents that use their server.
    ///
    /// If the folder of the file has a [lock file](crate::snapshot) with the server, agents report how the server differs from it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, has more than 8 MiB, or is not JSON of this form.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, McpError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let unread = |reason| McpError::File { file: name.clone(), reason };
        let text = file::text(path, MOST_BYTES).map_err(unread)?;
        if text.len() > MOST_BYTES {
            return Err(unread(format!("it has more than {MOST_BYTES} bytes")));
        }
        let mut config = Self::from_json(&text, &name)?;
        for server in config.servers.values_mut().flatten() {
            server.lock_file = Some(path.with_file_name(file::LOCK_FILE));
        }
        #[cfg(feature = "mcp-auth")]
        if let Some(oauth) = LOGIN.get() {
            config.oauth(oauth);
        }
        Ok(config)
    }

    /// Reads the text of a `.mcp.json`, in the form that [`Self::from_file`] describes. Errors name `file` as the place
    /// of the text; no file is read.
    ///
    /// # Errors
    /// As [`Self::from_file`].
    pub fn from_json(text: &str, file: &str) -> Result<Self, McpError> {
        let mcp_json::Servers { servers, unread } = mcp_json::read(text, file)?;
        for unread in &unread {
            tracing::debug!("{unread}");
        }
        Ok(Self { servers, unread })
    }

    /// Adds a server. It replaces one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, server: ServerConfig) {
        self.servers.insert(name.into(), Ok(server));
    }

    /// Adds the servers of another configuration. They replace servers of the same name.
    pub fn extend(&mut self, other: Self) {
        self.servers.extend(other.servers);
        self.unread.extend(other.unread);
    }

    /// Keeps the servers whose names are accepted.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.servers.retain(|name, _| keep(name));
    }

    /// Gives each of its processes these variables of the program's environment too, as [`ServerConfig::pass_env`] does.
    pub fn pass_env(&mut self, names: impl IntoIterator<Item = impl AsRef<str>>) {
        let names: Vec<_> = names.into_iter().collect();
        let processes =
            self.servers.values_mut().flatten().filter(|server| !matches!(server.link, Link::Http(_)));
        for server in processes {
            *server = server.clone().pass_env(&names);
        }
    }

    /// Gives the servers of all files that are read from now on this login, as [`Self::oauth`] does: for a program with a command like
    /// `onionskin mcp login`, whose tokens all of its parts use. The first call in a process counts.
    #[cfg(feature = "mcp-auth")]
    pub fn login_for_files(oauth: OAuth) {
        // A command line sets it once.
        let _ = LOGIN.set(oauth);
    }

    /// Whether the program has a command like `onionskin mcp login`.
    pub(super) fn has_login_for_files() -> bool {
        #[cfg(feature = "mcp-auth")]
        return LOGIN.get().is_some();
        #[cfg(not(feature = "mcp-auth"))]
        false
    }

    /// Gives each server that is reached by address this login, except those with a login or a header `Authorization` of their own.
    #[cfg(feature = "mcp-auth")]
    pub fn oauth(&mut self, oauth: &OAuth) {
        for server in self.servers.values_mut().flatten() {
            if matches!(server.link, Link::Http(_)) && !server.is_authorized() {
                server.oauth = Some(oauth.clone());
            }
        }
    }

    /// The configuration of a server, or the mistake in its entry; `None` if it is not configured. With [`Self::insert`] it is changed:
    ///
    /// ```
    /// use onionskin::mcp::McpConfig;
    /// use onionskin::secret::Secret;
    ///
    /// let text = r#"{"mcpServers": {"issues": {"url": "https://example.com/mcp"}}}"#;
    /// let mut servers = McpConfig::from_json(text, "mcp.json")?;
    /// if let Some(issues) = servers.config("issues").transpose()? {
    ///     servers.insert("issues", issues.header_for_run("Authorization", |run| {
    ///         Ok(Secret::new(format!("Bearer token-of-{}", run.user().ok_or("log in first")?)))
    ///     }));
    /// }
    /// # Ok::<_, onionskin::mcp::McpError>(())
    /// ```
    pub fn config(&self, name: &str) -> Option<Result<ServerConfig, McpError>> {
        self.servers.get(name).cloned()
    }

    /// The names of the servers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// Whether the file of this server switches it off. An agent that uses it is not built.
    pub fn is_disabled(&self, server: &str) -> bool {
        matches!(self.servers.get(server), Some(Err(McpError::Disabled { .. })))
    }

    /// The ignored fields of its files, each with file, line and column, and with the field that was probably meant.
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
