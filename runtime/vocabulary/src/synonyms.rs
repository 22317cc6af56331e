//! The names of an agent's fields in other frameworks.

use crate::nearest;

/// The names that other frameworks have for a field, and its name here.
pub const SYNONYMS: &[(&str, &str)] = &[
    ("hooks", "tool_hooks"),
    ("middleware", "tool_hooks"),
    ("approve", "approval"),
    ("approvals", "approval"),
    ("permissions", "approval"),
    ("require_approval", "approval"),
    ("requires_approval", "approval"),
    ("needs_approval", "approval"),
    ("ask_before", "approval"),
    ("confirm", "approval"),
    ("interrupt_on", "approval"),
    ("human_in_the_loop", "approval"),
    ("before_tool", "tool_hooks"),
    ("after_tool", "tool_hooks"),
    ("before_model", "turn_hooks"),
    ("after_model", "turn_hooks"),
    ("pre_hooks", "run_hooks"),
    ("post_hooks", "run_hooks"),
    ("prompt", "instruction"),
    ("system_prompt", "instruction"),
    ("goal", "instruction"),
    ("backstory", "additional_context"),
    ("deps_type", "state"),
    ("context_type", "state"),
    ("model_settings", "request_params"),
    ("functions", "function_tools"),
    ("mcp", "servers"),
    ("mcp_servers", "servers"),
    ("mcpServers", "servers"),
    ("mcp_resources", "resources"),
    ("mcp_prompts", "prompts"),
    ("children", "agents"),
    ("subagents", "agents"),
    ("sub_agents", "agents"),
    ("handoffs", "agents"),
    ("builtins", "runtime"),
    ("strategy", "run"),
    ("output_type", "output"),
    ("result_type", "output"),
    ("response_model", "output"),
    ("output_schema", "output"),
    ("response_format", "output"),
    ("input_type", "input"),
    ("input_schema", "input"),
    ("timeout", "child_timeout_sec"),
    ("child_timeout", "child_timeout_sec"),
];

/// Where the limit of turns belongs.
pub const TURNS: &str = "the limit is called `turns`: `limits: { turns: .. }`";

const FALLBACK: &str = "the program makes a model of several ones, and gives it to the builder: `.model(Fallback::new(..).or(..))`, of `onionskin::models`";

const GUARDRAILS: &str = "guardrails are in two lists: `input_guardrails` on the arguments of calls, `output_guardrails` on their results; those on the input and the answer of a run are `run_hooks`";

const MEMORIES: &str = "the field is called `add_memories_to_context`; the program gives the builder a store of memories: `.prompt(Prompt::new().source(PromptPart::Memories, ..))`";

const BUDGETS: &str = "the program gives the builder a budget: `.budget(Budget::new(..))`; `limits` bounds each run of an agent";

/// The names of fields in other frameworks that do not exist here, and what to write.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("guardrails", GUARDRAILS),
    ("memory", MEMORIES),
    ("memories", MEMORIES),
    ("budget", BUDGETS),
    ("budgets", BUDGETS),
    ("ui_tools", "UI tools are tools: name them in `function_tools`"),
    (
        "effort",
        "how much a model thinks is a request parameter: `request_params: { reasoning_effort: high }`",
    ),
    ("mode", "an agent has no mode: one that others name in `agents` is a tool of theirs, so remove this"),
    ("fallback", FALLBACK),
    ("fallbacks", FALLBACK),
    ("fallback_model", FALLBACK),
    ("fallback_models", FALLBACK),
    ("max_turns", TURNS),
    ("max_iterations", TURNS),
];

/// Fields of fast-agent's cards that have another form here, and what to write.
pub const FAST_AGENT: &[(&str, &str)] = &[
    ("human_input", "write `runtime: [human.input]`"),
    ("shell", "write `runtime: [shell.execute]`"),
    ("skills", "write `runtime: [skills.read]`"),
    ("use_history", "a session of the program keeps the history; `history_source` is for children"),
    ("api_key", "a key belongs in the environment, under the name that the provider reads"),
    ("lifecycle_hooks", "write `run_hooks`"),
    ("messages", "the program gives the first messages: `.messages(..)` of a builder"),
    ("agents_as_tools", "name the children in `agents`"),
    ("schema_version", "cards have no version here"),
    ("cwd", "the program gives the shell and the files their folder"),
    ("url", "a server's address belongs in `.mcp.json`"),
    ("mcp_connect", "a server belongs in `.mcp.json`, and its name in `servers`"),
    ("tool_only", "an agent that others name in `agents` is a tool of theirs"),
    ("subagent_model", "each agent has a `model` of its own"),
    ("harness_tools", "name built-in tools in `runtime`"),
    ("tool_input_schema", "write `input`, with a type of the program"),
    ("trim_tool_history", "write `turn_hooks: [\"::onionskin::turn_hooks::last_inputs\"]`, with its value"),
    ("save_trajectory", "a journal of the program keeps the steps of a run"),
    ("commands", "a command of a program is a tool: name it in `function_tools`"),
    ("variables", "texts show the session's `state`: `{name}`"),
];

fn find(rows: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    rows.iter().find(|(theirs, _)| *theirs == name).map(|(_, write)| *write)
}

/// The field for a name that other frameworks use.
pub fn ours(name: &str) -> Option<&'static str> {
    find(SYNONYMS, name)
}

/// The field for a name that is near one of other frameworks.
pub fn near_ours(name: &str) -> Option<&'static str> {
    nearest(name, SYNONYMS.iter().map(|(theirs, _)| *theirs)).and_then(ours)
}

/// What to write in place of a name that is not a field here.
pub fn elsewhere(name: &str) -> Option<&'static str> {
    find(ELSEWHERE, name)
}

/// Whether other frameworks use this name for the limit of turns.
pub fn is_turns(name: &str) -> bool {
    elsewhere(name) == Some(TURNS)
}

/// What to write in place of a field of fast-agent's cards.
pub fn fast_agent_advice(name: &str) -> Option<&'static str> {
    find(FAST_AGENT, name)
}
