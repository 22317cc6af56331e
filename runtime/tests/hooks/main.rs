//! Hooks: their order, their errors, what they see and what they may do.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "tests say what they expect")]
#![allow(clippy::unused_async, clippy::unused_self, reason = "tests say what they expect")]

mod aborts;
mod everywhere;
mod filters;
mod hook_errors;
mod hook_macro;
#[path = "../shared/lines.rs"]
mod lines;
#[path = "../shared/log.rs"]
mod log;
mod logged;
mod misspelt;
mod onion;
#[macro_use]
#[path = "../shared/by_hand.rs"]
mod by_hand;
mod original;
mod panics;
mod typed_outside_of_own;
