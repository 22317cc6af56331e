//! `WebSearchError` says why the web was not searched.

use std::time::Duration;

use onionskin_core::{ErrorKind, Exit, ToolError};

/// The reason why a [`WebSearch`](super::WebSearch) was not made, or failed. The model gets the text, which contains no
/// key, and of an address only the host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[cfg(feature = "web-search")]
pub enum WebSearchError {
    /// The base URL cannot be used.
    #[error("the base URL of the web search cannot be used: {reason}")]
    #[non_exhaustive]
    Address {
        /// Why.
        reason: String,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` of the web search cannot be sent: names and values are visible ASCII")]
    #[non_exhaustive]
    Header {
        /// Its name.
        name: String,
    },
    /// The HTTP client could not be made.
    #[error("no HTTP client for the web search: {reason}")]
    #[non_exhaustive]
    Client {
        /// Why.
        reason: String,
    },
    /// The service could not be reached.
    #[error("the web search at {host} cannot be reached; answer without it, and say so")]
    #[non_exhaustive]
    Unreachable {
        /// The service.
        host: String,
    },
    /// The service did not answer in time.
    #[error("the web search at {host} did not answer within {limit:?}; try once more, or answer without it")]
    #[non_exhaustive]
    Timeout {
        /// The service.
        host: String,
        /// The time that it had.
        limit: Duration,
    },
    /// The query is longer than the service takes.
    #[error(
        "the web search at {host} takes {most} {unit} at most, found {found}: nothing was asked; search for the few words \
         that matter"
    )]
    #[non_exhaustive]
    QueryTooLong {
        /// The service.
        host: String,
        /// The unit of the numbers.
        unit: &'static str,
        /// The limit.
        most: usize,
        /// The number in the query.
        found: usize,
    },
    /// The service wants another key or another query, or does not speak JSON.
    #[error(
        "the web search at {host} refused the request (status {status}): {hint}; answer without it, and say so"
    )]
    #[non_exhaustive]
    Refused {
        /// The service.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What the owner of the program can do.
        hint: &'static str,
    },
    /// The service got too many requests.
    #[error("the web search at {host} was asked too often; {}", again(*.retry_after))]
    #[non_exhaustive]
    TooOften {
        /// The service.
        host: String,
        /// The time to wait, if the service gives one.
        retry_after: Option<Duration>,
    },
    /// The service answered with an unexpected status.
    #[error("the web search at {host} failed with status {status}; try once more, or answer without it")]
    #[non_exhaustive]
    Status {
        /// The service.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The service redirected the request to another address, which gets no key and no query.
    #[error(
        "the web search at {host} sends its requests on to another address: give that one as the base URL"
    )]
    #[non_exhaustive]
    Redirected {
        /// The service.
        host: String,
    },
    /// The service redirects a request again and again, at its own address.
    #[error(
        "the web search at {host} redirected the request more than {limit} times; answer without it, and say so"
    )]
    #[non_exhaustive]
    TooManyRedirects {
        /// The service.
        host: String,
        /// The number of redirects that are followed.
        limit: usize,
    },
    /// The answer is too large.
    #[error("the web search at {host} answered with more than {limit} bytes; nothing was read")]
    #[non_exhaustive]
    TooLarge {
        /// The service.
        host: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer does not follow the protocol.
    #[error("the web search at {host} did not answer as the protocol says: {reason}")]
    #[non_exhaustive]
    Malformed {
        /// The service.
        host: String,
        /// The mistake.
        reason: String,
    },
}

fn again(after: Option<Duration>) -> String {
    match after {
        Some(after) => format!("it may be asked again in {after:?}"),
        None => "wait before you ask it again, or answer without it".to_owned(),
    }
}

impl From<WebSearchError> for ToolError {
    fn from(error: WebSearchError) -> Self {
        let kind = match &error {
            WebSearchError::Timeout { .. } => ErrorKind::Timeout,
            WebSearchError::QueryTooLong { .. } => ErrorKind::Arguments,
            WebSearchError::Address { .. }
            | WebSearchError::Header { .. }
            | WebSearchError::Client { .. }
            | WebSearchError::Unreachable { .. }
            | WebSearchError::Refused { .. }
            | WebSearchError::TooOften { .. }
            | WebSearchError::Status { .. }
            | WebSearchError::Redirected { .. }
            | WebSearchError::TooManyRedirects { .. }
            | WebSearchError::TooLarge { .. }
            | WebSearchError::Malformed { .. } => ErrorKind::Remote,
        };
        Self::from_source(error).with_kind(kind)
    }
}

pub(super) fn exit(error: WebSearchError) -> Exit {
    Exit::Tool(error.into())
}
