//! A5, A7: what a run owes its agents, its children and its history.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unused_async,
    clippy::unused_self,
    reason = "tests say what they expect, and their tools are small"
)]

mod attempts;
mod cancelled;
mod doubt;
mod dropped;
mod effects;
mod given;
mod histories;
mod names;
mod parallel;
mod reports;
mod scripted;
mod shown_meta;
mod support;
