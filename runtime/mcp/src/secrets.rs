//! The values of a server's variables, to be hidden in its output.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

#[cfg(feature = "mcp-auth")]
use super::auth::Authority;
use super::server_config::{Link, ServerConfig};
use crate::mutex::lock;
use onionskin_core::RunContext;
use onionskin_core::ToolDefinition;
use onionskin_core::ToolResult;
use onionskin_core::secret::{Redact as _, Redactor, StreamRedactor};

/// Hides the values of environment variables, each behind its name.
#[derive(Clone)]
pub(super) struct Secrets {
    redactor: Arc<Redactor>,
    #[cfg(feature = "mcp-auth")]
    login: Option<Arc<Authority>>,
    /// The secrets of the last sessions that called the server.
    callers: Arc<Mutex<Callers>>,
}

/// The secrets of sessions, each under its own number.
type Callers = VecDeque<(usize, Arc<Redactor>)>;

/// The number of sessions whose secrets are hidden in the output of a server.
const CALLERS: usize = 256;

impl Secrets {
    /// All values: none of them is in a log or an error.
    pub(super) fn all(config: &ServerConfig) -> Self {
        Self::new(config, |_| true)
    }

    /// The values that a tool's result must not show: the values set as secrets, and the values of variables with the name
    /// of a secret. Other values, such as a time zone, may be part of results.
    pub(super) fn for_results(config: &ServerConfig) -> Self {
        Self::new(config, |name| config.secrets.contains(name) || is_secret(name))
    }

    /// The values of these variables, and of all headers.
    fn new(config: &ServerConfig, takes: impl Fn(&str) -> bool) -> Self {
        let of_program = config.program_variables();
        let variables = config.env.iter().chain(&of_program).filter(|(name, _)| takes(name));
        let variables = variables.map(|(name, value)| (value.as_bytes(), Arc::from(format!("[${name}]"))));
        let headers = config.headers.iter().flat_map(|(name, value)| {
            // Credentials are secret without the name of their scheme, too.
            let parts =
                std::iter::once(value.as_str()).chain(value.split_once(' ').map(|(_, rest)| rest.trim()));
            parts.map(move |part| (part.as_bytes(), Arc::from(format!("[{name}]"))))
        });
        let query = match config.link {
            Link::Http(_) => config.command.value.split_once('?').map_or("", |(_, query)| query),
            Link::Process | Link::InProcess(_) => "",
        };
        let query = query.split('&').filter_map(|part| {
            let (name, value) = part.split_once('=')?;
            Some((value.as_bytes(), Arc::from(format!("[{name}]"))))
        });
        let all = variables.chain(headers).chain(query);
        Self {
            redactor: Arc::new(Redactor::new(all)),
            #[cfg(feature = "mcp-auth")]
            login: config.login(),
            callers: Arc::default(),
        }
    }

    /// The secrets of the server: those of its configuration, and the tokens of its login.
    fn own(&self) -> Arc<Redactor> {
        #[cfg(feature = "mcp-auth")]
        if let Some(login) = &self.login {
            return Arc::new(Redactor::clone(&self.redactor).beside(&login.redactor()));
        }
        Arc::clone(&self.redactor)
    }

    /// A call may give the server a secret of its session, which the server may write into its log.
    pub(super) fn called_from(&self, run: &RunContext) {
        let Some(redactor) = run.redactor() else { return };
        let session = run.session_number();
        let mut callers = lock(&self.callers);
        callers.retain(|(known, _)| *known != session);
        callers.push_back((session, redactor));
        if callers.len() > CALLERS {
            callers.pop_front();
        }
    }

    /// The secrets of the server and of the sessions that called it.
    pub(super) fn with_callers(&self) -> Arc<Redactor> {
        let callers = lock(&self.callers);
        let own = self.own();
        if callers.is_empty() {
            return own;
        }
        let own = Redactor::clone(&own);
        Arc::new(callers.iter().fold(own, |all, (_, redactor)| all.beside(redactor)))
    }

    pub(super) fn hide<'t>(&self, text: impl Into<Cow<'t, str>>) -> String {
        self.own().redact(text).into_owned()
    }

    /// Hides secrets as [`Self::hide`] does, in a text whose rest is unknown: an end that may begin a secret is left
    /// out.
    pub(super) fn hide_cut(&self, text: &str) -> String {
        self.held().push(text)
    }

    /// For a text that comes in pieces.
    pub(super) fn held(&self) -> StreamRedactor {
        StreamRedactor::new(self.own())
    }

    /// A server's definition of a tool.
    pub(super) fn definition(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.redact(&self.own());
        definition
    }

    pub(super) fn result(&self, mut result: ToolResult) -> ToolResult {
        result.redact(&self.own());
        result
    }
}

/// Whether a variable has the name of a secret.
fn is_secret(name: &str) -> bool {
    const WORDS: &[&str] =
        &["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTHORIZATION", "BEARER", "COOKIE"];
    let name = name.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word))
}
