//! Why a server that is reached by address gave no answer.

use std::fmt;
use std::time::Duration;

/// What is known of the effect of a call without an answer.
pub(crate) const UNKNOWN: &str = "whether the call took effect is not known";

/// Why a server that is reached by address gave no answer.
///
/// A call that failed for such a reason has it among the [causes](onionskin_core::ToolError::causes) of its error, and
/// [`StartFailure::http`](crate::StartFailure::http) has it for a server that could not be used from the beginning.
///
/// ```
/// use onionskin::ToolError;
/// use onionskin::mcp::HttpError;
///
/// fn needs_login(error: &ToolError) -> bool {
///     let mut causes = error.causes().filter_map(|cause| cause.downcast_ref());
///     causes.any(|cause| matches!(cause, HttpError::Unauthorized { .. } | HttpError::LoginRequired { .. }))
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// There is no connection. The request did not reach the server.
    #[error("it cannot be reached: {reason}")]
    #[non_exhaustive]
    Unreachable {
        /// The reason, without the address.
        reason: String,
    },
    /// The connection ended before the answer. Whether the request took effect is not known.
    #[error("the connection ended before the answer: {reason}")]
    #[non_exhaustive]
    Interrupted {
        /// The reason, without the address.
        reason: String,
    },
    /// The server requires credentials, or other ones (status 401).
    #[error("it requires authorization (status 401)")]
    #[non_exhaustive]
    Unauthorized {
        /// The value of `WWW-Authenticate`: where to get credentials.
        challenge: Option<String>,
    },
    /// The server requires a login, or one with more scopes, which began: a person has to open the address. See `OAuth`, of the feature
    /// `mcp-auth`.
    #[error("it requires a login")]
    #[non_exhaustive]
    LoginRequired {
        /// The address for the person's browser.
        address: LoginAddress,
    },
    /// The server requires a login, and it could not be prepared or renewed.
    #[error("it requires a login, which failed: {reason}")]
    #[non_exhaustive]
    Login {
        /// The reason.
        reason: String,
    },
    /// The credentials do not allow the request (status 403).
    #[error("its authorization does not allow this (status 403)")]
    #[non_exhaustive]
    Forbidden {
        /// The value of `WWW-Authenticate`: for example the scope that is missing.
        challenge: Option<String>,
    },
    /// The server answered with another status.
    #[error("it answered with the status {status}{}{}", quoted(message), wait(*retry_after))]
    #[non_exhaustive]
    Status {
        /// The status.
        status: u16,
        /// How long to wait before the next request, by `Retry-After`.
        retry_after: Option<Duration>,
        /// The beginning of a plain text in the answer. Empty without one.
        message: String,
    },
    /// The server redirects to another host, or answers a message with a redirect that would lose it.
    #[error(
        "it redirects to `{to}`, which is not followed: the configured credentials go to the configured host only"
    )]
    #[non_exhaustive]
    Redirected {
        /// The address, without its query.
        to: String,
    },
    /// The server redirects to an address that redirected before.
    #[error("it redirects in a circle, to `{to}` again")]
    #[non_exhaustive]
    RedirectCircle {
        /// The address, without its query.
        to: String,
    },
    /// The answer is neither JSON nor a stream of events, so the address is probably not one of an MCP server.
    #[error("it answered with {}, which is not MCP", content_type.as_ref().map_or("no content type".to_owned(), |kind| format!("`{kind}`")))]
    #[non_exhaustive]
    NotMcp {
        /// The content type.
        content_type: Option<String>,
    },
    /// The server no longer knows the session. The next call begins a new one.
    #[error("it no longer knows the session")]
    SessionLost,
}

/// The address of the page on which a person logs in. It belongs to one login, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginAddress(String);

impl LoginAddress {
    #[cfg(feature = "mcp-auth")]
    pub(crate) fn new(address: String) -> Self {
        Self(address)
    }

    /// The address, for the person's browser. It is neither for a log nor for a model.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for LoginAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoginAddress(..)")
    }
}

fn quoted(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn wait(time: Option<Duration>) -> String {
    time.map(|time| format!("; it asks to wait {} s", time.as_secs())).unwrap_or_default()
}

impl HttpError {
    /// The stream of an answer ended without it.
    pub(crate) fn no_answer() -> Self {
        Self::Interrupted { reason: "its stream of events ended".to_owned() }
    }

    /// The error with other texts.
    pub(crate) fn map_texts(self, hide: impl Fn(String) -> String) -> Self {
        match self {
            Self::Unreachable { reason } => Self::Unreachable { reason: hide(reason) },
            Self::Interrupted { reason } => Self::Interrupted { reason: hide(reason) },
            Self::Unauthorized { challenge } => Self::Unauthorized { challenge: challenge.map(&hide) },
            Self::LoginRequired { address } => Self::LoginRequired { address },
            Self::Login { reason } => Self::Login { reason: hide(reason) },
            Self::Forbidden { challenge } => Self::Forbidden { challenge: challenge.map(&hide) },
            Self::Status { status, retry_after, message } => {
                Self::Status { status, retry_after, message: hide(message) }
            }
            Self::Redirected { to } => Self::Redirected { to: hide(to) },
            Self::RedirectCircle { to } => Self::RedirectCircle { to: hide(to) },
            Self::NotMcp { content_type } => Self::NotMcp { content_type: content_type.map(&hide) },
            Self::SessionLost => Self::SessionLost,
        }
    }

    /// What the developer can do.
    #[cfg(feature = "mcp-http")]
    pub(crate) fn next_step_in_code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } | Self::Interrupted { .. } => {
                "Check its address, and that the server runs."
            }
            Self::Unauthorized { .. } | Self::Forbidden { .. } => {
                "Give it credentials: `headers` in its entry of the file, `ServerConfig::header`, or a login with \
                 `onionskin mcp login`."
            }
            Self::LoginRequired { .. } => {
                "Open the address of `HttpError::LoginRequired` in a browser, and pass the redirect URL to `OAuth::finish`."
            }
            Self::Login { .. } => "Check the login that is configured for it.",
            Self::Status { status: 404 | 405, .. } | Self::NotMcp { .. } => {
                "Check the path of its address: the endpoint of many servers is `/mcp`. Servers that only have the transport of \
                 2024 (\"sse\") cannot be used."
            }
            Self::Status { .. } | Self::SessionLost => "Look into the log of the server.",
            Self::RedirectCircle { .. } => "Check its address, or look into the settings of the server.",
            Self::Redirected { .. } => "If you trust that address, write it into the configuration.",
        }
    }

    /// What is known of the effect of a call that failed so, for the model.
    pub(crate) fn effect(&self) -> &'static str {
        match self {
            Self::Unreachable { .. }
            | Self::Unauthorized { .. }
            | Self::LoginRequired { .. }
            | Self::Login { .. }
            | Self::Forbidden { .. } => "the call did not run",
            // Of 408, the server does not say how far it came.
            Self::Status { status: 400..=407 | 409..500, .. } => "the call was refused",
            Self::SessionLost => "the call was refused, and the next call begins a new session",
            Self::Interrupted { .. }
            | Self::Status { .. }
            | Self::Redirected { .. }
            | Self::RedirectCircle { .. }
            | Self::NotMcp { .. } => UNKNOWN,
        }
    }

    /// Whether the server did not begin the call.
    pub(crate) fn is_refusal(&self) -> bool {
        self.effect() != UNKNOWN
    }
}
