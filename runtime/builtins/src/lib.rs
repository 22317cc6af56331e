//! Tools that come with the runtime, each behind a feature of its own. An agent has those that it names in
//! `runtime: [..]`, and no others.

#![forbid(unsafe_code)]

#[cfg(feature = "shell")]
mod capture;
#[cfg(feature = "shell")]
pub mod shell;

/// Makes the tool `shell.execute`, to change its settings for an agent that is declared by hand
/// ([`AgentDeclaration::runtime_tool`](onionskin_core::declaration::AgentDeclaration::runtime_tool)). `agent!` takes
/// the tool with the default settings by its name: `runtime: [shell.execute]`. Feature `shell`.
#[cfg(feature = "shell")]
pub fn shell() -> shell::Shell {
    shell::Shell::new()
}
