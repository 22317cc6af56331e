//! What a card names that a feature of onionskin adds.

use onionskin_core::declaration::AgentDeclaration;

/// A step without values.
pub(crate) type Plain = fn(AgentDeclaration) -> AgentDeclaration;

/// What is missing: the feature, and the words for it.
pub(crate) type Missing = (&'static str, String);

/// The step for a built-in tool. Cards were checked for its name.
pub(crate) fn tool(name: &str) -> Result<Plain, Missing> {
    match name {
        "shell.execute" => shell(),
        "human.input" => human(),
        "skills.read" => skills(),
        _ => filesystem(name),
    }
}

#[cfg(feature = "shell")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn shell() -> Result<Plain, Missing> {
    Ok(|agent| agent.runtime_tool(onionskin_builtins::shell::execute()))
}

#[cfg(not(feature = "shell"))]
fn shell() -> Result<Plain, Missing> {
    Err(("shell", "`shell.execute` runs programs: enable feature `shell` of onionskin".to_owned()))
}

#[cfg(feature = "human-input")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn human() -> Result<Plain, Missing> {
    Ok(|agent| agent.runtime_tool(onionskin_builtins::human::input()))
}

#[cfg(not(feature = "human-input"))]
fn human() -> Result<Plain, Missing> {
    Err(("human-input", "`human.input` asks the user: enable feature `human-input` of onionskin".to_owned()))
}

#[cfg(feature = "skills")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn skills() -> Result<Plain, Missing> {
    Ok(|agent| agent.runtime_tool(onionskin_builtins::skills::read()))
}

#[cfg(not(feature = "skills"))]
fn skills() -> Result<Plain, Missing> {
    Err(("skills", "`skills.read` reads skills: enable feature `skills` of onionskin".to_owned()))
}

#[cfg(feature = "filesystem")]
fn filesystem(name: &str) -> Result<Plain, Missing> {
    use onionskin_builtins::filesystem;
    Ok(match name {
        "filesystem.read" => |agent| agent.runtime_tool(filesystem::read()),
        "filesystem.write" => |agent| agent.runtime_tool(filesystem::write()),
        "filesystem.list" => |agent| agent.runtime_tool(filesystem::list()),
        "filesystem.edit" => |agent| agent.runtime_tool(filesystem::edit()),
        "filesystem.search" => |agent| agent.runtime_tool(filesystem::search()),
        _ => return Err(("filesystem", format!("`{name}` is not a built-in tool of this onionskin"))),
    })
}

#[cfg(not(feature = "filesystem"))]
fn filesystem(name: &str) -> Result<Plain, Missing> {
    Err(("filesystem", format!("`{name}` uses files: enable feature `filesystem` of onionskin")))
}

/// The servers of the working directory's `.mcp.json`.
#[cfg(feature = "mcp")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
pub(crate) fn servers() -> Result<Plain, Missing> {
    Ok(|agent| agent.default_servers(onionskin_mcp::WorkingDirectory::new()))
}

#[cfg(not(feature = "mcp"))]
pub(crate) fn servers() -> Result<Plain, Missing> {
    Err(("mcp", "`servers` need MCP: enable feature `mcp` of onionskin".to_owned()))
}

/// The provider of the model that an agent names.
pub(crate) fn model(agent: AgentDeclaration) -> AgentDeclaration {
    #[cfg(feature = "genai")]
    let agent = agent.default_model(onionskin_genai::GenaiModel::from_env());
    agent
}
