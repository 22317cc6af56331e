//! Tools that come with the runtime. Each is off unless an agent names it, and behind a feature of its own.

mod capture;
pub mod shell;

/// `shell.execute` with its settings; `agent!` takes it as `shell.execute`. Feature `shell`.
pub fn shell() -> shell::Shell {
    shell::Shell::new()
}
