//! Why an agent cannot be built, and why a run fails.

pub(super) mod build_error;
pub(super) mod misuse;
mod run_abort;
pub(super) mod run_error;
mod run_redact;
pub(super) mod server_error;
