//! Servers that are reached by address, over streamable HTTP. The protocol library's transport knows sessions, versions and resumption.

// `connect` makes a connection; `client` sends the library's messages and `answers` reads what comes back, in documents or in `events`;
// `fetch` is a single HTTP request, and `authorized` sends it with the token of a login. `param_headers` are arguments that a server wants in headers.

mod answers;
#[cfg(feature = "mcp-auth")]
mod authorized;
mod client;
mod connect;
mod events;
mod fetch;
mod param_headers;

pub(super) use connect::{ConnectError, connect, http_error};
pub(super) use param_headers::listed;
