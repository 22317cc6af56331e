//! Tools as values.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "tests say what they expect, and their tools are small"
)]

mod bind;
mod call;
#[cfg(feature = "mcp")]
mod mcp;
mod methods;
#[cfg(feature = "mcp-server")]
mod route;
#[cfg(feature = "script")]
mod script;
mod transform;
mod value;
