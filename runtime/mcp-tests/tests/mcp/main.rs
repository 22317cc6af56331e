//! MCP servers as tool sources, against a server that these tests start.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod asking;
mod calls;
mod config;
mod corpus;
mod filters;
mod fixture;
mod hooks;
mod instructions;
mod life;
#[path = "../shared/logged.rs"]
mod logged;
mod logs;
mod order;
#[path = "../shared/package.rs"]
mod package;
mod rules;
mod snapshot;
mod spec;
mod start;
mod support;
#[path = "../shared/thread_log.rs"]
mod thread_log;
mod wrong;
