//! Whole runs over the protocols of model providers, against a mock of their servers.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "tests may panic, in their helpers too"
)]

mod aimock;
mod answers;
#[cfg(unix)]
mod chat;
#[path = "../../../ui-tests/src/clean_cargo.rs"]
mod clean_cargo;
mod mock;
mod protocol;
mod relay;
#[cfg(unix)]
#[path = "../../../runtime/cli/tests/chat/screen.rs"]
#[allow(dead_code, reason = "the tests of the command line use the rest")]
mod screen;
#[cfg(unix)]
#[path = "../../../runtime/cli/tests/chat/session.rs"]
mod session;
mod suite;
mod support_desk;
