//! Servers that are reached by address, against an HTTP server of these tests.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod asking;
mod hostile;
mod logins;
mod server;
mod sessions;
mod users;
