//! Tools that come with the runtime, each behind a feature of its own. An agent has those that it names in
//! `runtime: [..]`, and no others.

#![forbid(unsafe_code)]

#[cfg(feature = "shell")]
mod capture;
#[cfg(feature = "shell")]
pub mod shell;

/// `shell.execute` with its settings; `agent!` takes it as `shell.execute`. Feature `shell`.
#[cfg(feature = "shell")]
pub fn shell() -> shell::Shell {
    shell::Shell::new()
}
