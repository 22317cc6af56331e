//! Servers as clients use them: over streams in memory, and over sockets.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    missing_docs,
    reason = "tests say what they expect"
)]

mod api;
mod calls;
mod changes;
mod desk;
mod http;
mod idle;
mod lines;
mod lists;
mod questions;
#[path = "../../../tests/spans/recorder.rs"]
#[allow(dead_code, unreachable_pub, reason = "these tests use a part of it")]
mod recorder;
mod requests;
mod rules;
mod site;
mod skills;
mod streams;
mod tasks;
