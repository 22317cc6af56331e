//! The fields of a card, and those of other frameworks.

use super::synonyms;
use crate::suggest;

/// All fields.
pub(super) const FIELDS: &[&str] = &[
    "type",
    "name",
    "description",
    "instruction",
    "role",
    "expected_output",
    "additional_context",
    "system_message",
    "markdown",
    "add_datetime_to_context",
    "add_location_to_context",
    "add_name_to_context",
    "add_session_state_to_context",
    "servers",
    "tools",
    "lock",
    "function_tools",
    "toolboxes",
    "agents",
    "tool_hooks",
    "input_guardrails",
    "output_guardrails",
    "run_hooks",
    "turn_hooks",
    "message_hooks",
    "runtime",
    "default",
    "run",
    "model",
    "request_params",
    "limits",
    "history_source",
    "history_merge_target",
    "max_parallel",
    "child_timeout_sec",
    "max_display_instances",
    "effect",
    "state",
    "input",
    "output",
];

/// The fields that switch a part of the prompt on.
pub(super) const FLAGS: &[&str] = &[
    "markdown",
    "add_datetime_to_context",
    "add_location_to_context",
    "add_name_to_context",
    "add_session_state_to_context",
];

/// The entries of `request_params`.
pub(super) const REQUEST_PARAMS: &[&str] = &[
    "temperature",
    "top_p",
    "max_tokens",
    "seed",
    "stop_sequences",
    "tool_choice",
    "response_schema",
    "extra_body",
];

/// The entries of `limits`.
pub(super) const LIMITS: &[&str] = &[
    "turns",
    "tool_calls",
    "tokens",
    "time_sec",
    "depth",
    "max_retries",
    "output_retries",
    "model_timeout_sec",
    "model_retries",
];

/// Fields of fast-agent's cards that are said otherwise here, and what to write.
const FAST_AGENT: &[(&str, &str)] = &[
    ("human_input", "write `runtime: [human.input]`"),
    ("shell", "write `runtime: [shell.execute]`"),
    ("skills", "write `runtime: [skills.read]`"),
    ("use_history", "a session of the program keeps the history; `history_source` is for children"),
    ("resources", "the resources of a server are tools of it: name them in `tools`"),
    ("prompts", "the prompts of a server are tools of it: name them in `tools`"),
    ("api_key", "a key belongs in the environment, where the provider's name says it"),
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

/// Fields of fast-agent's cards of other types than agents.
const OF_OTHER_TYPES: &[&str] = &[
    "sequence",
    "cumulative",
    "fan_out",
    "fan_in",
    "include_request",
    "generator",
    "evaluator",
    "min_rating",
    "max_refinements",
    "refinement_instruction",
    "plan_type",
    "plan_iterations",
    "worker",
    "k",
    "max_samples",
    "match_strategy",
    "red_flag_max_length",
];

/// Whether a card of another type has this field.
pub(super) fn is_of_another_type(name: &str) -> bool {
    OF_OTHER_TYPES.contains(&name)
}

/// The error for a field that does not exist, and the field that its author most likely meant.
pub(super) fn unknown(name: &str) -> (String, Option<&'static str>) {
    let only = |message: String| (message, None);
    if let Some(message) = synonyms::elsewhere(name) {
        return only(message.to_owned());
    }
    for (table, entries) in [("request_params", REQUEST_PARAMS), ("limits", LIMITS)] {
        if entries.contains(&name) {
            return only(format!("`{name}` belongs in `{table}`: `{table}: {{ {name}: .. }}`"));
        }
    }
    if is_of_another_type(name) {
        return only(format!(
            "there is no field `{name}`: it is one of cards of other types; write an agent that calls its `agents`"
        ));
    }
    if let Some((_, write)) = FAST_AGENT.iter().find(|(theirs, _)| *theirs == name) {
        return only(format!("there is no field `{name}`: {write}"));
    }
    match synonyms::ours(name) {
        Some(ours) => (format!("there is no field `{name}`: it is called `{ours}`"), Some(ours)),
        None => {
            let meant = suggest::nearest(name, FIELDS.iter().copied());
            let meant = meant.and_then(|near| FIELDS.iter().find(|field| **field == near));
            (suggest::unknown("field", name, FIELDS), meant.copied())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::synonyms::SYNONYMS;
    use super::{FAST_AGENT, OF_OTHER_TYPES};

    const PAGE: &str = include_str!("../../../docs/book/src/reference/other-frameworks.md");

    #[test]
    fn c1_the_book_has_each_field_of_other_frameworks_with_its_meaning() {
        let (_, section) = PAGE.split_once("## Cards of other frameworks").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        for (field, meaning) in FAST_AGENT {
            assert!(section.contains(&format!("| `{field}` | {meaning} |")), "{field}");
        }
        let row = section.lines().find(|line| line.ends_with("| fields of cards of other types |"));
        for field in OF_OTHER_TYPES {
            assert!(row.is_some_and(|row| row.contains(&format!("`{field}`"))), "{field}");
        }
        for (kind, here) in super::super::check::OTHER_TYPES {
            assert!(section.contains(&format!("| `type: {kind}` | {here} |")), "{kind}");
        }
        for (theirs, ours) in SYNONYMS {
            let row = section.lines().find(|line| line.ends_with(&format!("| `{ours}` |")));
            assert!(row.is_some_and(|row| row.contains(&format!("`{theirs}`"))), "{theirs}");
        }
    }
}
