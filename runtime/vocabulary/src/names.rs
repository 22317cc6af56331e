//! The names of agents and tools.

/// The prefix of the tool with which a parent calls an agent.
pub const AGENT_TOOL: &str = "agent__";

/// The name of the tool with which a parent calls an agent: `agent__Code_Reviewer` for `Code Reviewer`.
pub fn agent_tool(agent: &str) -> String {
    format!("{AGENT_TOOL}{}", tool_name(agent))
}

/// The name of an agent as a tool of its own: people read the blanks, and tools have `_` in their place.
pub fn tool_name(agent: &str) -> String {
    agent.replace(' ', "_")
}

/// The maximum number of characters in a tool's name, by the rules of providers.
pub const LONGEST_TOOL_NAME: usize = 64;

/// The maximum number of characters in an agent's name.
pub const LONGEST_AGENT_NAME: usize = LONGEST_TOOL_NAME - AGENT_TOOL.len();

/// The mistake in the name of an agent.
pub fn agent_name_mistake(name: &str) -> Option<String> {
    let is_legal = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    if let Some(wrong) = name.chars().find(|c| !is_legal(c)) {
        return Some(format!(
            "an agent's name may contain only the letters A to Z, digits, blanks, `_` and `-`, because other agents call it as a tool; this one \
             contains `{wrong}`"
        ));
    }
    if name.trim() != name || name.contains("  ") {
        return Some("an agent's name may have single blanks between its words only".to_owned());
    }
    let is_short = (1..=LONGEST_AGENT_NAME).contains(&name.len());
    (!is_short).then(|| {
        format!(
            "an agent's name must have 1 to {LONGEST_AGENT_NAME} characters, because other agents call it as a tool; this one has {}",
            name.len()
        )
    })
}
