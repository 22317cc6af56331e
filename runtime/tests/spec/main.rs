//! Tools as values.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]
#![allow(clippy::unused_self, reason = "tests say what they expect")]

#[macro_use]
#[path = "../shared/by_hand.rs"]
mod by_hand;
mod bind;
mod call;
mod clones;
#[cfg(feature = "mcp")]
mod conditions;
#[cfg(feature = "rhai")]
mod environment;
mod innermost;
mod kinds;
#[path = "../shared/log.rs"]
mod log;
#[cfg(feature = "mcp")]
mod mcp;
mod methods;
#[cfg(feature = "preserve_order")]
mod order;
#[cfg(feature = "mcp-server")]
mod route;
#[cfg(feature = "rhai")]
mod script;
mod states;
mod transform;
mod value;

use log::Log;
