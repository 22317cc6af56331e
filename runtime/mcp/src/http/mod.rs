//! Servers that are reached by address, over streamable HTTP. The protocol library's transport knows sessions, versions and resumption.

// `connect` makes a connection; `client` sends the library's messages and `answers` reads what comes back, in documents or in `events`;
// `fetch` is a single HTTP request. `param_headers` are arguments that a server wants in headers. `pool` has the connections of runs. `endpoint` is the configuration, `error` why there is no answer: they exist without the feature too.

#[cfg(feature = "mcp-http")]
mod answers;
#[cfg(feature = "mcp-http")]
mod client;
#[cfg(feature = "mcp-http")]
mod connect;
pub(super) mod endpoint;
mod error;
#[cfg(feature = "mcp-http")]
mod events;
#[cfg(feature = "mcp-http")]
mod fetch;
#[cfg(feature = "mcp-http")]
mod param_headers;
pub(super) mod pool;

#[cfg(feature = "mcp-http")]
pub(super) use connect::{ConnectError, connect, http_error};
#[cfg(not(feature = "mcp-http"))]
pub(super) use endpoint::NOT_COMPILED;
pub use error::HttpError;
#[cfg(feature = "mcp-http")]
pub(super) use param_headers::listed;

/// Without the feature there are no such errors.
#[cfg(not(feature = "mcp-http"))]
pub(super) fn http_error(_: &(dyn std::error::Error + 'static)) -> Option<HttpError> {
    None
}
