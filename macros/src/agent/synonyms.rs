//! The names that other frameworks have for the fields of an agent. The reader of cards and `agent!` have this file each, because `agent!` has no
//! reader of cards without a feature; a test of the macros compares the two.

/// The names that other frameworks have for a field, and its name here.
pub(super) const SYNONYMS: &[(&str, &str)] = &[
    ("hooks", "tool_hooks"),
    ("middleware", "tool_hooks"),
    ("pre_hooks", "run_hooks"),
    ("post_hooks", "run_hooks"),
    ("prompt", "instruction"),
    ("system_prompt", "instruction"),
    ("functions", "function_tools"),
    ("mcp", "servers"),
    ("mcp_servers", "servers"),
    ("children", "agents"),
    ("subagents", "agents"),
    ("sub_agents", "agents"),
    ("handoffs", "agents"),
    ("builtins", "runtime"),
    ("strategy", "run"),
    ("output_type", "output"),
    ("output_schema", "output"),
    ("response_format", "output"),
    ("input_type", "input"),
    ("input_schema", "input"),
    ("timeout", "child_timeout_sec"),
    ("child_timeout", "child_timeout_sec"),
];

/// Where the limit of turns belongs.
pub(super) const TURNS: &str = "the limit is called `turns`: `limits: { turns: .. }`";

const GUARDRAILS: &str = "guardrails are in two lists: `input_guardrails` on the arguments of calls, `output_guardrails` on their results";

/// The names that other frameworks have for a field, where there is none here, and what to write.
pub(super) const ELSEWHERE: &[(&str, &str)] = &[
    ("guardrails", GUARDRAILS),
    ("ui_tools", "UI tools are tools: name them in `function_tools`"),
    ("max_turns", TURNS),
    ("max_iterations", TURNS),
];

/// The field that other frameworks call so.
pub(super) fn ours(name: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours)
}

/// What to write in place of a name that is not one of a field here.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(theirs, _)| *theirs == name).map(|(_, write)| *write)
}

/// Whether other frameworks call the limit of turns so.
pub(super) fn is_turns(name: &str) -> bool {
    elsewhere(name) == Some(TURNS)
}
