//! Tools that come with the runtime, each behind a feature of its own. An agent has those that it names in
//! `runtime: [..]`, and no others.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "shell")]
mod capture;
#[cfg(any(feature = "filesystem", feature = "human-input", feature = "shell", feature = "skills"))]
mod definition;
#[cfg(feature = "filesystem")]
pub mod filesystem;
#[cfg(feature = "filesystem")]
mod folder;
#[cfg(feature = "human-input")]
pub mod human;
#[cfg(feature = "filesystem")]
mod names;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(feature = "filesystem")]
mod source;

/// Makes the tool `human.input`, for an agent that is declared by hand
/// ([`AgentDeclaration::runtime_tool`](onionskin_core::declaration::AgentDeclaration::runtime_tool)). `agent!` takes the tool by its name:
/// `runtime: [human.input]`. Feature `human-input`.
#[cfg(feature = "human-input")]
pub fn human() -> human::Human {
    human::Human::new()
}

/// Makes the tool `shell.execute`, to change its settings for an agent that is declared by hand
/// ([`AgentDeclaration::runtime_tool`](onionskin_core::declaration::AgentDeclaration::runtime_tool)). `agent!` takes
/// the tool with the default settings by its name: `runtime: [shell.execute]`. Feature `shell`.
#[cfg(feature = "shell")]
pub fn shell() -> shell::Shell {
    shell::Shell::new()
}
