//! Hooks around runs, turns and messages.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "tests say what they expect, and their hooks are small"
)]

mod by_call;
mod message_hook_macro;
mod message_hooks;
mod run_hook_macro;
mod run_hooks;
mod run_hooks_built;
mod summaries;
mod trimming;
mod turn_hook_macro;
mod turn_hooks;
