//! The configuration of one server. `mcp_json` reads it from a file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::io::DuplexStream;

#[cfg(feature = "mcp-auth")]
use super::auth::{Authority, OAuth};
use super::endpoint::{self, Mistake};
use super::error::{AGENT_HEADERS, McpError};
use super::tool_rules::ToolRules;
use super::untraced_thread::SharedThread;
use onionskin_core::RunContext;
use onionskin_core::secret::Secret;
use onionskin_core::servers::{BoxError, RunHeader};

/// The header of credentials.
const AUTHORIZATION: &str = "authorization";
/// The time for one request: a list page or a call. Progress of a call restarts it.
const REQUEST: Duration = Duration::from_mins(1);
/// The time from starting the process to its first list of tools.
const START: Duration = Duration::from_secs(30);
/// The variables of the program's environment that every server gets. Programs need them to find files and other programs; none of them
/// is a secret.
const PASSED: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
    ]
} else {
    &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]
};

/// One server: a process that speaks MCP over its standard streams ([`Self::stdio`]), or a server that is reached by address
/// ([`Self::http`]).
///
/// Of this program's environment a process gets `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` (on Windows, those that programs need
/// there), and the variables that [`Self::pass_env`] names; then the configured variables. Other variables can be keys of other services,
/// which a server must not see. The values of configured and of named variables are secrets: no error text, log line or `Debug` output contains them. Results of the server's tools do not contain the values that were given
/// with [`Self::secret`], or whose variable is named like a secret (the name contains `KEY`, `TOKEN`, `SECRET`, `PASSW`,
/// `CREDENTIAL` or the like). Values of less than six bytes are too short to be hidden.
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
    /// Variables of the program that the server gets too.
    pub(super) passed: BTreeMap<String, OsString>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) timeout: Duration,
    pub(super) start_timeout: Duration,
    /// Whether calls that change something may run side by side.
    pub(super) is_parallel: bool,
    /// Whether the server may ask a person.
    pub(super) asks: bool,
    /// The folders that the server is told of.
    pub(super) roots: Vec<PathBuf>,
    /// Variables that were set as secrets.
    pub(super) secrets: BTreeSet<String>,
    /// Variables whose values were written into other fields.
    pub(super) expanded: BTreeMap<String, String>,
    /// The ignored fields of its entry in a file.
    pub(super) unread: Vec<String>,
    /// Which of its tools its entry in a file takes away.
    pub(super) rules: ToolRules,
    /// The lock file beside the file that it was read from.
    pub(super) lock_file: Option<PathBuf>,
    pub(super) link: Link,
    /// Headers of all requests to a server that is reached by address.
    pub(super) headers: BTreeMap<String, String>,
    /// Headers whose values depend on the run of a call.
    pub(super) run_headers: BTreeMap<String, RunHeader>,
    #[cfg(feature = "mcp-auth")]
    pub(super) oauth: Option<OAuth>,
}

/// How a server is reached.
#[derive(Clone)]
pub(super) enum Link {
    /// The command starts it.
    Process,
    /// It is within the program, and is started instead of the command.
    InProcess(Arc<dyn InProcess>),
    /// It runs elsewhere, and the command is its address.
    Http(SharedThread),
}

impl Link {
    /// What it did if it has to be used anew.
    pub(super) fn died(&self) -> &'static str {
        match self {
            Self::Process | Self::InProcess(_) => "died",
            Self::Http(_) => "lost its connection",
        }
    }

    /// What is done then.
    pub(super) fn started(&self) -> &'static str {
        match self {
            Self::Process | Self::InProcess(_) => "started",
            Self::Http(_) => "connected",
        }
    }
}

/// A server within the program, in place of a process.
pub(super) trait InProcess: Send + Sync {
    /// Serves until its input ends, or it dies; says how it ended.
    fn serve(self: Arc<Self>, input: DuplexStream, output: DuplexStream) -> BoxFuture<'static, &'static str>;
}

/// A part of the command line: its value, and the text to show for it.
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
    /// Makes a server that this command starts, without arguments. A command without a `/` is looked up in `PATH`.
    pub fn stdio(command: impl Into<String>) -> Self {
        Self::new(command.into().into())
    }

    /// Makes a server that is reached by this address, over streamable HTTP: with the protocol of 2026-07-28, or that of 2025 and its
    /// sessions. It needs the feature `mcp-http`.
    ///
    /// Nothing but this address is requested: redirects are followed on the same host only, because the
    /// [headers](Self::header) go with them. Proxies of the environment (`HTTPS_PROXY`) are used, except for addresses of this machine.
    ///
    /// ```
    /// use onionskin::mcp::ServerConfig;
    /// use onionskin::secret::Secret;
    ///
    /// let key = Secret::new("not-for-logs".to_owned());
    /// let server = ServerConfig::http("https://example.com/mcp").header("X-Api-Key", key);
    /// assert!(!format!("{server:?}").contains("not-for-logs"));
    /// ```
    pub fn http(address: impl Into<String>) -> Self {
        let value = address.into();
        let shown = endpoint::shown(&value);
        Self { link: Link::Http(SharedThread::default()), ..Self::new(Word { value, shown }) }
    }

    /// Sends this header with each request to a server that is reached by address. Its value is a secret: no error text, log line,
    /// `Debug` output or result of a tool contains it. A header of the same name is replaced.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Secret<String>>) -> Self {
        let name = name.into().to_ascii_lowercase();
        self.headers.insert(name, value.into().expose().clone());
        self
    }

    /// Sends this header with each call, with a value that depends on the run: for example the token of its user. The value is a secret, as
    /// with [`Self::header`], which gives the value for everything that is no call of a run.
    ///
    /// Calls with equal values share a connection, and so a session of the server; calls with different values never do. At most 256
    /// connections are open. One that no call used for ten minutes is closed when another one is opened.
    ///
    /// The tools are listed when the agent is built, without a run. If the server refuses that (401 or 403), the agent has the tools of
    /// the [lock file](crate::snapshot); without one, it is not built.
    ///
    /// An error of `value` is the error of the call, which is not sent.
    ///
    /// For a secret in the typed state of an agent, the field `headers` of `agent!` is shorter, and the compiler checks it.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use onionskin::mcp::ServerConfig;
    /// use onionskin::secret::Secret;
    ///
    /// let tokens = HashMap::from([("ada".to_owned(), Secret::new("t0ken-of-ada".to_owned()))]);
    /// let issues = ServerConfig::http("https://example.com/mcp").header_for_run("Authorization", move |run| {
    ///     let token = run.user().and_then(|user| tokens.get(user)).ok_or("log in first")?;
    ///     Ok(Secret::new(format!("Bearer {}", token.expose())))
    /// });
    /// ```
    #[must_use]
    pub fn header_for_run(
        mut self,
        name: impl Into<String>,
        value: impl Fn(&RunContext) -> Result<Secret<String>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.insert_run_header(RunHeader::new(name.into(), value));
        self
    }

    fn insert_run_header(&mut self, header: RunHeader) {
        self.run_headers.insert(header.name().to_owned(), header);
    }

    /// The headers of an agent's calls whose values depend on the run: its own, and those of the configuration.
    ///
    /// # Errors
    /// Returns an error if the server cannot send them.
    pub(super) fn headers_of_agent(
        &self,
        server: &str,
        own: &[RunHeader],
    ) -> Result<Vec<RunHeader>, McpError> {
        let mut config = self.clone();
        if !own.is_empty() {
            let Link::Http(_) = self.link else {
                return Err(McpError::Misplaced { server: server.to_owned(), setting: AGENT_HEADERS });
            };
            own.iter().cloned().for_each(|header| config.insert_run_header(header));
            config.check(server)?;
        }
        Ok(config.run_headers.into_values().collect())
    }

    /// Sends the tokens of a login with the requests to a server that is reached by address; see [`OAuth`].
    #[cfg(feature = "mcp-auth")]
    #[must_use]
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        self.oauth = Some(oauth);
        self
    }

    /// Whether the calls of runs with these headers carry what only a run knows.
    pub(super) fn depends_on_run(&self, headers: &[RunHeader]) -> bool {
        !headers.is_empty() || self.login_is_for_users()
    }

    /// Whether each user of the runs has a login of their own.
    #[cfg(feature = "mcp-auth")]
    fn login_is_for_users(&self) -> bool {
        self.oauth.as_ref().is_some_and(OAuth::is_for_users)
    }

    #[cfg(not(feature = "mcp-auth"))]
    #[expect(clippy::unused_self, reason = "without the feature, there are no logins")]
    fn login_is_for_users(&self) -> bool {
        false
    }

    /// The address of a server that is [reached by one](Self::http).
    pub fn address(&self) -> Option<&str> {
        match self.link {
            Link::Http(_) => Some(&self.command.value),
            Link::Process | Link::InProcess(_) => None,
        }
    }

    pub(super) fn new(command: Word) -> Self {
        Self {
            command,
            args: Vec::new(),
            env: BTreeMap::new(),
            passed: BTreeMap::new(),
            cwd: None,
            timeout: REQUEST,
            start_timeout: START,
            is_parallel: false,
            asks: false,
            roots: Vec::new(),
            secrets: BTreeSet::new(),
            expanded: BTreeMap::new(),
            unread: Vec::new(),
            rules: ToolRules::default(),
            lock_file: None,
            link: Link::Process,
            headers: BTreeMap::new(),
            run_headers: BTreeMap::new(),
            #[cfg(feature = "mcp-auth")]
            oauth: None,
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

    /// Sets a variable as [`Self::env`] does. The results of the server's tools do not show its value, whatever the name
    /// of the variable is.
    #[must_use]
    pub fn secret(mut self, name: impl Into<String>, value: impl Into<Secret<String>>) -> Self {
        let name = name.into();
        self.secrets.insert(name.clone());
        self.env(name, value.into().expose())
    }

    /// Gives the server these variables of the program's environment too, with the values that they have now. A variable that is not set
    /// is left out.
    ///
    /// ```
    /// use onionskin::mcp::ServerConfig;
    /// let server = ServerConfig::stdio("mcp-server-git").pass_env(["SSH_AUTH_SOCK", "HTTPS_PROXY"]);
    /// ```
    #[must_use]
    pub fn pass_env(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let set = names.into_iter().filter_map(|name| {
            let name = name.as_ref();
            Some((name.to_owned(), std::env::var_os(name)?))
        });
        self.passed.extend(set);
        self
    }

    /// The environment of the process.
    pub(super) fn environment(&self) -> impl Iterator<Item = (OsString, OsString)> {
        // A shell exports functions as variables, whose texts are programs.
        let is_function = |value: &OsString| value.as_encoded_bytes().starts_with(b"()");
        let of_program =
            PASSED.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        let of_program = of_program.filter(move |(_, value)| !is_function(value));
        let passed = self.passed.iter().map(|(name, value)| (name.into(), value.clone()));
        let own = self.env.iter().map(|(name, value)| (name.into(), value.into()));
        of_program.chain(passed).chain(own)
    }

    /// The variables of the program that are values of this configuration, each with its text.
    pub(super) fn program_variables(&self) -> BTreeMap<String, String> {
        let passed =
            self.passed.iter().filter_map(|(name, value)| Some((name.clone(), value.to_str()?.to_owned())));
        self.expanded.iter().map(|(name, value)| (name.clone(), value.clone())).chain(passed).collect()
    }

    /// Sets the working directory of the server. Default: the program's.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets the time limit of one request: a call, or one page of the list of tools. Each progress report of a call
    /// restarts it, up to ten times its length in all. At the limit the request is cancelled on the server, and a call
    /// ends with a tool error of kind [`Timeout`](onionskin_core::ErrorKind::Timeout). Default: 1 minute. Zero is an
    /// error when the server is made.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the time limit from the start of the process until its tools are listed. Default: 30 seconds. Zero is an
    /// error when the server is made.
    #[must_use]
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = timeout;
        self
    }

    /// Lets all calls of the server's tools run side by side. By default a call of a tool without `readOnlyHint` waits until the calls that the same
    /// run made of this server before it are done, and later ones wait for it: servers that read a file and write it back would lose
    /// one of two changes, and both calls would succeed. The wait is not a part of [`Self::timeout`]. Calls of tools with `readOnlyHint` run
    /// side by side in any case, and so do calls of other servers and of other runs.
    ///
    /// ```
    /// use onionskin::mcp::ServerConfig;
    /// let search = ServerConfig::stdio("mcp-server-search").parallel();
    /// ```
    #[must_use]
    pub fn parallel(mut self) -> Self {
        self.is_parallel = true;
        self
    }

    /// Lets the server ask a person while a call of one of its tools runs (MCP's elicitation), as `#[tool(asks)]` does for a function. Its
    /// question becomes a [`Question`](onionskin_core::question::Question) of the call: the answerer of the run answers it, or the run
    /// pauses. The wait does not count towards [`Self::timeout`]. Default: the server learns that nobody can be asked.
    ///
    /// The question names the server and is its text; it does not show more than ten questions in one call. A server can ask for fields
    /// to fill in, or for an address to be opened, which is shown and never opened by the program.
    ///
    /// A server of the protocol of 2025 waits for the answer. If nobody answers meanwhile, a call of a tool with `readOnlyHint` or
    /// `idempotentHint` is cancelled, the run pauses, and the call is made again when the run is resumed. Any other call goes on without an
    /// answer and ends with an error whose source is [`AskError::NoAnswerer`](onionskin_core::question::AskError::NoAnswerer).
    ///
    /// ```
    /// use onionskin::mcp::ServerConfig;
    /// let travel = ServerConfig::stdio("mcp-server-travel").asks();
    /// ```
    #[must_use]
    pub fn asks(mut self) -> Self {
        self.asks = true;
        self
    }

    /// Tells the server of these folders, if it asks for them (MCP's roots): where it should work. It is no protection: a server that is
    /// a process can use all files of its user. A relative path begins at the working directory of this program. Default: a server that
    /// asks is refused.
    ///
    /// ```
    /// use onionskin::mcp::ServerConfig;
    /// let files = ServerConfig::stdio("mcp-server-filesystem").roots(["./documents"]);
    /// ```
    #[must_use]
    pub fn roots(mut self, folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.roots.extend(folders.into_iter().map(Into::into));
        self
    }

    /// # Errors
    /// Returns an error if a time limit is zero, so that every call, or the start, would fail; or if a setting has no effect or cannot be used.
    pub(super) fn check(&self, server: &str) -> Result<(), McpError> {
        if let Some(setting) = self.misplaced() {
            return Err(McpError::Misplaced { server: server.to_owned(), setting });
        }
        if let Link::Http(_) = self.link {
            let names = self.run_headers.keys().map(|name| (name.clone(), String::new()));
            let headers = names.chain(self.headers.clone()).collect();
            endpoint::check(&self.command.value, &headers).map_err(|mistake| {
                let (header, reason) = match mistake {
                    Mistake::Address(reason) => (None, reason),
                    Mistake::Header(name, reason) => (Some(name), reason),
                };
                McpError::Address { server: server.to_owned(), header, reason: reason.to_owned() }
            })?;
            #[cfg(feature = "mcp-auth")]
            self.check_login(server)?;
        }
        for (setting, time) in [("timeout", self.timeout), ("start_timeout", self.start_timeout)] {
            if time.is_zero() {
                return Err(McpError::ZeroTimeout { server: server.to_owned(), setting });
            }
        }
        Ok(())
    }

    /// The login whose tokens are sent.
    #[cfg(feature = "mcp-auth")]
    pub(super) fn login(&self) -> Option<Arc<Authority>> {
        let (address, _) = endpoint::read(self.address()?, &BTreeMap::new()).ok()?;
        self.oauth.as_ref()?.authority(&address)
    }

    /// Whether requests have a header with credentials.
    pub(super) fn has_authorization(&self) -> bool {
        self.headers.contains_key(AUTHORIZATION) || self.run_headers.contains_key(AUTHORIZATION)
    }

    /// Whether requests have credentials: those of a login, or a header.
    #[cfg(feature = "mcp-auth")]
    pub(super) fn is_authorized(&self) -> bool {
        self.oauth.is_some() || self.has_authorization()
    }

    #[cfg(feature = "mcp-auth")]
    fn check_login(&self, server: &str) -> Result<(), McpError> {
        let Some(oauth) = &self.oauth else { return Ok(()) };
        if self.has_authorization() {
            return Err(McpError::Address {
                server: server.to_owned(),
                header: Some(AUTHORIZATION.to_owned()),
                reason: "its login sets it; remove one of them".to_owned(),
            });
        }
        oauth.check().map_err(|(setting, reason)| McpError::Login {
            server: server.to_owned(),
            setting,
            reason: reason.to_owned(),
        })
    }

    /// A setting that has no effect, because it is for servers that are reached in another way.
    fn misplaced(&self) -> Option<&'static str> {
        let settings = match self.link {
            Link::Process | Link::InProcess(_) => vec![
                (!self.headers.is_empty(), "header"),
                (!self.run_headers.is_empty(), "header_for_run"),
                #[cfg(feature = "mcp-auth")]
                (self.oauth.is_some(), "oauth"),
            ],
            Link::Http(_) => vec![
                (!self.args.is_empty(), "args"),
                (!self.env.is_empty(), "env"),
                (!self.passed.is_empty(), "pass_env"),
                (self.cwd.is_some(), "cwd"),
            ],
        };
        settings.into_iter().find_map(|(is_set, name)| is_set.then_some(name))
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
            .field("headers", &self.headers.keys().chain(self.run_headers.keys()).collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .field("start_timeout", &self.start_timeout)
            .finish_non_exhaustive()
    }
}
