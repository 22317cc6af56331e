//! Builds agents from declarations.

pub(super) mod app;
mod app_runs;
mod assembly;
pub(super) mod builder;
mod declared;
mod describe;
mod hook_tools;
mod preflight;
mod setup;
pub(super) mod typed_agent;
