//! Why a remote agent gave no answer.

use std::time::Duration;

/// Why a remote agent gave no answer. The run of the agent fails with its text, and a hook of the agent finds it among the
/// [causes](onionskin_core::ToolError::causes) of the error of its tool `a2a.ask`. Texts of the remote agent in it are shortened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The address cannot be used.
    #[error(
        "`{url}` is not the address of an agent: write one such as `https://example.com/clerk`, without a password"
    )]
    #[non_exhaustive]
    Url {
        /// The address.
        url: String,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` cannot be sent: use the characters that HTTP allows")]
    #[non_exhaustive]
    Header {
        /// The name.
        name: String,
    },
    /// There is no connection, or it ended before the answer.
    #[error("the remote agent cannot be reached: {reason}")]
    #[non_exhaustive]
    Unreachable {
        /// The reason, without the address.
        reason: String,
    },
    /// The server answered with another status than 200. 401 and 403 mean other credentials, and 3xx another address: redirects are not
    /// followed.
    #[error("the remote agent answered with the status {status}: {message}")]
    #[non_exhaustive]
    Status {
        /// The status.
        status: u16,
        /// The beginning of the body.
        message: String,
    },
    /// The card of the agent cannot be used.
    #[error("the card of the remote agent cannot be used: {reason}")]
    #[non_exhaustive]
    Card {
        /// The reason.
        reason: String,
    },
    /// The server does not follow the protocol.
    #[error("the remote agent does not follow the protocol: {reason}")]
    #[non_exhaustive]
    Protocol {
        /// The mistake.
        reason: String,
    },
    /// The server refused the message.
    #[error("the remote agent refused the message ({code}): {message}")]
    #[non_exhaustive]
    Refused {
        /// The code of the error in JSON-RPC.
        code: i64,
        /// Its text.
        message: String,
    },
    /// The task ended without an answer, or waits for a login.
    #[error("the task of the remote agent is {state}: {message}")]
    #[non_exhaustive]
    Ended {
        /// The state: `failed`, `canceled`, `rejected` or `auth-required`.
        state: String,
        /// What the agent says about it.
        message: String,
    },
    /// The agent asked too many questions.
    #[error("the remote agent asked more than {most} questions")]
    #[non_exhaustive]
    Questions {
        /// The maximum.
        most: usize,
    },
    /// The answer is too long.
    #[error("the answer of the remote agent has more than {most} bytes: allow more with `Remote::max_bytes`")]
    #[non_exhaustive]
    TooLong {
        /// The maximum.
        most: usize,
    },
    /// There was no answer in time.
    #[error("the remote agent did not answer within {limit:?}: allow more with `Remote::timeout`")]
    #[non_exhaustive]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
}
