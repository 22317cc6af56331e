//! MCP servers as tool sources, against a server that these tests start.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod calls;
mod config;
mod corpus;
mod filters;
mod fixture;
mod hooks;
mod instructions;
mod life;
mod order;
mod rules;
mod snapshot;
mod spec;
mod start;
mod support;
mod wrong;
