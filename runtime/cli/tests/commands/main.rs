//! The ready program as a user runs it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod acp;
mod check;
#[path = "../../../../ui-tests/src/clean_cargo.rs"]
mod clean_cargo;
mod folder;
mod import;
mod locks;
mod migrate;
mod mistakes;
mod new;
mod package;
#[path = "../../../cards/tests/pages/mod.rs"]
mod pages;
#[path = "../shared/processes.rs"]
mod processes;
mod run;
mod serve;
mod sessions;
mod settings;
mod shown;
mod signals;
mod strict;
mod terminal;
mod workflow;
