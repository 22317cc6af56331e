//! Servers that are reached by address, against an HTTP server of these tests.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod asking;
mod headers;
mod hostile;
#[path = "../shared/logged.rs"]
mod logged;
mod logins;
mod logs;
mod server;
mod server_data;
mod session_questions;
mod sessions;
#[path = "../shared/thread_log.rs"]
mod thread_log;
mod users;
