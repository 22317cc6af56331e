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

/// Writes `add`: the method that adds each tool, if its feature is on.
macro_rules! tools {
    ($($feature:literal $tool:ident => $module:ident::$make:ident;)*) => {
        #[allow(clippy::unnecessary_wraps, reason = "each tool is there only with all features")]
        fn add(tool: BuiltIn) -> Option<Method> {
            match tool {$(
                #[cfg(feature = $feature)]
                BuiltIn::$tool => Some(|agent| agent.runtime_tool(onionskin_builtins::$module::$make())),
                #[cfg(not(feature = $feature))]
                BuiltIn::$tool => None,
            )*}
        }
    };
}

tools! {
    "shell" ShellExecute => shell::execute;
    "human-input" HumanInput => human::input;
    "skills" SkillsRead => skills::read;
    "filesystem" FilesystemRead => filesystem::read;
    "filesystem" FilesystemWrite => filesystem::write;
    "filesystem" FilesystemList => filesystem::list;
    "filesystem" FilesystemEdit => filesystem::edit;
    "filesystem" FilesystemSearch => filesystem::search;
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
