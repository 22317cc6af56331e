//! Why an agent cannot be built, and why a run fails.

pub(super) mod build_error;
pub(super) mod misuse;
pub(super) mod run_error;
