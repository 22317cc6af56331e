//! What a card names that a feature of onionskin adds.

use onionskin_core::declaration::AgentDeclaration;
use onionskin_vocabulary::BuiltIn;

/// A method of a declaration without values.
pub(crate) type Method = fn(AgentDeclaration) -> AgentDeclaration;

/// What is missing: the feature, and the words for it.
pub(crate) type Missing = (&'static str, String);

/// Adds a built-in tool.
pub(crate) fn tool(tool: BuiltIn) -> Result<Method, Missing> {
    add(tool).ok_or_else(|| (tool.feature(), tool.missing()))
}

#[allow(clippy::unnecessary_wraps, reason = "each tool is there only with all features")]
fn add(tool: BuiltIn) -> Option<Method> {
    match tool {
        #[cfg(feature = "shell")]
        BuiltIn::ShellExecute => Some(|agent| agent.runtime_tool(onionskin_builtins::shell::execute())),
        #[cfg(feature = "human-input")]
        BuiltIn::HumanInput => Some(|agent| agent.runtime_tool(onionskin_builtins::human::input())),
        #[cfg(feature = "skills")]
        BuiltIn::SkillsRead => Some(|agent| agent.runtime_tool(onionskin_builtins::skills::read())),
        #[cfg(feature = "filesystem")]
        BuiltIn::FilesystemRead => Some(|agent| agent.runtime_tool(onionskin_builtins::filesystem::read())),
        #[cfg(feature = "filesystem")]
        BuiltIn::FilesystemWrite => Some(|agent| agent.runtime_tool(onionskin_builtins::filesystem::write())),
        #[cfg(feature = "filesystem")]
        BuiltIn::FilesystemList => Some(|agent| agent.runtime_tool(onionskin_builtins::filesystem::list())),
        #[cfg(feature = "filesystem")]
        BuiltIn::FilesystemEdit => Some(|agent| agent.runtime_tool(onionskin_builtins::filesystem::edit())),
        #[cfg(feature = "filesystem")]
        BuiltIn::FilesystemSearch => {
            Some(|agent| agent.runtime_tool(onionskin_builtins::filesystem::search()))
        }
        #[cfg(not(feature = "shell"))]
        BuiltIn::ShellExecute => None,
        #[cfg(not(feature = "human-input"))]
        BuiltIn::HumanInput => None,
        #[cfg(not(feature = "skills"))]
        BuiltIn::SkillsRead => None,
        #[cfg(not(feature = "filesystem"))]
        BuiltIn::FilesystemRead
        | BuiltIn::FilesystemWrite
        | BuiltIn::FilesystemList
        | BuiltIn::FilesystemEdit
        | BuiltIn::FilesystemSearch => None,
    }
}

/// The servers of the working directory's `.mcp.json`.
#[cfg(feature = "mcp")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
pub(crate) fn servers() -> Result<Method, Missing> {
    Ok(|agent| agent.default_servers(onionskin_mcp::WorkingDirectory::new()))
}

#[cfg(not(feature = "mcp"))]
pub(crate) fn servers() -> Result<Method, Missing> {
    Err(("mcp", onionskin_vocabulary::MISSING_MCP.to_owned()))
}

/// The provider of the model that an agent names.
pub(crate) fn model(agent: AgentDeclaration) -> AgentDeclaration {
    #[cfg(feature = "genai")]
    let agent = agent.default_model(onionskin_genai::GenaiModel::from_env());
    agent
}
