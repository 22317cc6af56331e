//! The life of a tool's call: guardrails, stages, what answers for errors; in which order, and that nothing fails open.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unused_async,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "tests say what they expect, and their tools are small"
)]

mod approval;
mod cache;
mod checked_arguments;
mod examples;
mod guardrails;
mod options;
mod order;
mod support;
mod timeout;
mod waiting;
mod waiting_children;
mod whole;
