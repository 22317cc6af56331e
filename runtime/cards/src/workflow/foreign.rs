//! Fields that workflows of the modular system have elsewhere, and what to write here. The book has the same tables.

use onionskin_vocabulary::nearest;

/// Fields of another system, each with what to write.
type Fields = &'static [(&'static str, &'static str)];

/// Of the orchestrator.
pub(super) const ORCHESTRATOR: Fields = &[
    ("initial_agent", "write `start_agent`"),
    ("initiating_agent", "write `start_agent`"),
    ("startup_agent", "write `start_agent`"),
    ("orchestrator", "write `start_agent`"),
    ("max_turns", "write `turn_limit`"),
    ("max_rounds", "write `turn_limit`"),
    ("first_message", "write `initial_message`"),
    ("termination_message", "write `termination`"),
    ("is_termination_msg", "write `termination`, the text in an answer that ends the work"),
    ("workflow_name", "a workflow is called as its folder"),
    ("human_in_the_loop", "UI tools ask a person, and so does an agent with `runtime: [human.input]`"),
    ("startup_mode", "the program begins with `begin()`, or with a message of the user: `run(input)`"),
    ("auto_start", "the program begins with `begin()`, or with a message of the user: `run(input)`"),
    ("orchestration_pattern", "an agent calls those in its `agents`"),
    ("initial_message_to_user", "the program shows what the user sees first"),
    ("transport", "the program reads the events of a run: `stream(input)`"),
    ("ui_capable_agents", "the components of an agent are in `ui_tools`"),
    ("visual_agents", "the program chooses among the events of a run: each names its agent"),
    ("handoffs", "an agent calls those in its `agents`"),
    ("context_variables", "write the `state` of an agent, or use the state of the session"),
    ("structured_outputs", "write the `output` of an agent"),
    (
        "tools",
        "write `agent_tools` and `ui_tools`, each with the tools of an agent: `{ \"Writer\": [{ \"path\": \"tools.echo_all.echo\" }] }`",
    ),
];

/// Of an agent.
pub(super) const AGENT: Fields = &[
    ("human_input_mode", "an agent asks a person with `runtime: [human.input]`"),
    ("max_consecutive_auto_reply", "write `limits: { turns: .. }`"),
    ("auto_tool_mode", "write `request_params: { tool_choice: required }`"),
    ("structured_outputs_required", "write the type of the answers, `output`"),
];

/// Of a tool.
pub(super) const TOOL: Fields = &[
    ("agent", "name the agent above the list: `{ \"Writer\": [..] }`"),
    ("apply_to", "name the agent above the list: `{ \"Writer\": [..] }`, or `ALL_AGENTS`"),
    ("file", "write its file and its function as `path`: `tools.echo_all.echo`"),
    ("module", "write its file and its function as `path`: `tools.echo_all.echo`"),
    ("function", "write its file and its function as `path`: `tools.echo_all.echo`"),
    ("tool_type", "move the entry to `agent_tools` or to `ui_tools`"),
    ("ui", "write its `component` and its `mode` beside `path`"),
    ("enabled", "remove an entry that is not used"),
];

/// Of a hook.
pub(super) const HOOK: Fields = &[
    ("filename", "write `file`"),
    ("module", "write `file`"),
    ("trigger", "write `hook_type`"),
    ("apply_to", "write `hook_agent`, an agent or `ALL_AGENTS`"),
    ("agent", "write `hook_agent`"),
    ("name", "a hook is called as its `function`"),
    ("description", "a comment in its file describes a hook"),
    ("enabled", "remove an entry that is not used"),
];

/// What to write in place of a field, if it is one of these.
pub(super) fn instead(fields: Fields, field: &str) -> Option<String> {
    let (_, meaning) = fields.iter().find(|(theirs, _)| *theirs == field)?;
    Some(format!("there is no field `{field}` here: {meaning}"))
}

/// The error for an unknown field, with the fields that its author could have meant.
pub(super) fn unknown(
    what: &str,
    field: &str,
    theirs: Fields,
    ours: &[&'static str],
) -> (String, Vec<&'static str>) {
    match instead(theirs, field) {
        Some(message) => {
            let named = ours.iter().copied().filter(|ours| message.contains(&format!("`{ours}`"))).collect();
            (message, named)
        }
        None => {
            let meant = nearest(field, ours.iter().copied());
            let meant = meant.and_then(|near| ours.iter().copied().find(|ours| *ours == near));
            (onionskin_vocabulary::unknown(what, field, ours), meant.into_iter().collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AGENT, HOOK, ORCHESTRATOR, TOOL};

    const PAGE: &str = include_str!("../../../../docs/book/src/reference/other-frameworks.md");

    #[test]
    fn c4_the_book_has_each_field_of_other_workflows_with_its_meaning() {
        let (_, section) = PAGE.split_once("## Workflows of other systems").unwrap();
        for (field, meaning) in [ORCHESTRATOR, AGENT, TOOL, HOOK].concat() {
            let row = section.lines().find(|row| row.ends_with(&format!("| {meaning} |")));
            assert!(row.is_some_and(|row| row.contains(&format!("`{field}`"))), "{field}: {meaning}");
        }
    }
}
