//! The life of a tool's call: guardrails, stages, what answers for errors; in which order, and that nothing fails open.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "tests say what they expect")]
#![allow(clippy::unused_async, clippy::unused_self, reason = "tests say what they expect")]

#[macro_use]
#[path = "../shared/by_hand.rs"]
mod by_hand;
mod agent_approval;
mod approval;
mod cache;
mod checked_arguments;
mod examples;
mod guardrails;
#[path = "../shared/log.rs"]
mod log;
mod options;
mod order;
mod support;
mod timeout;
mod waiting;
mod waiting_children;
mod whole;
