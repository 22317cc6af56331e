//! MCP servers as tool sources, against a server that these tests start.
#![cfg(feature = "mcp")]

mod calls;
mod config;
mod fixture;
mod life;
mod start;
mod support;
