//! The fields that an agent can have.

use proc_macro2::Ident;
use syn::{Expr, ExprPath, LitBool, LitStr, Path, Type};

use super::ast::{BuiltinTool, HookEntry, HookItem, ListEntry, Number, RunHookEntry, ToolboxEntry, Word};
use super::field_reader::Field;
use super::list::{
    built_in, child, entry, guardrail, hook, message_hook, run_hook, server, toolbox, turn_hook,
};
use super::settings::{LIMITS, REQUEST_PARAMS};
use super::synonyms;
use super::value::{bare, boolean, crate_path, function, model, number, state, string, text, typed};
use crate::keys::{find, keys, names};
use crate::suggest;

keys! {
    /// The fields of an agent as they were written. Each is there once at most.
    pub(super) struct Fields from field: Field<'_> {
        /// `name: ".."` | the name that people and parents see: letters, digits, `_` and `-`. Default: the name of the type
        "name" => name: Option<LitStr> = Some(string(field.input, "name")?);
        /// `description: ".."` | the text by which parents choose the agent, and the first part of its prompt
        "description" => description: Option<Expr> = Some(text(field.input, "description")?);
        /// `instruction: ".."` | the main part of the system prompt: text with [places](crate::prompt::PromptText) such as `{name}`, any expression that is text, or a function of the [`RunContext`](crate::RunContext). The only required field
        "instruction" => instruction: Option<Expr> = Some(text(field.input, "instruction")?);
        /// `role: ".."` | the agent's role, as part of its prompt ([`PromptPart`](crate::prompt::PromptPart)); text or a function, as all texts of the prompt
        "role" => role: Option<Expr> = Some(text(field.input, "role")?);
        /// `expected_output: ".."` | what the answer should be like, as part of its prompt
        "expected_output" => expected_output: Option<Expr> = Some(text(field.input, "expected_output")?);
        /// `additional_context: ".."` | text behind the other instructions of its prompt
        "additional_context" => additional_context: Option<Expr> = Some(text(field.input, "additional_context")?);
        /// `system_message: ".."` | a text in place of the whole prompt, and of `instruction`
        "system_message" => system_message: Option<Expr> = Some(text(field.input, "system_message")?);
        /// `markdown: true` | the prompt asks for answers in Markdown
        "markdown" => markdown: Option<LitBool> = Some(boolean(field.input, "markdown")?);
        /// `add_datetime_to_context: true` | the prompt says the date and the time, in UTC
        "add_datetime_to_context" => add_datetime_to_context: Option<LitBool> = Some(boolean(field.input, "add_datetime_to_context")?);
        /// `add_location_to_context: true` | the prompt says where the user is; the builder or the request gives it: `Prompt::new().text(PromptPart::Location, "..")`
        "add_location_to_context" => add_location_to_context: Option<LitBool> = Some(boolean(field.input, "add_location_to_context")?);
        /// `add_name_to_context: true` | the prompt says the agent's name
        "add_name_to_context" => add_name_to_context: Option<LitBool> = Some(boolean(field.input, "add_name_to_context")?);
        /// `add_session_state_to_context: true` | the prompt shows the agent's state and the values of the session's, as JSON, but for those under `onionskin`, where ready-made hooks keep theirs
        "add_session_state_to_context" => add_session_state_to_context: Option<LitBool> = Some(boolean(field.input, "add_session_state_to_context")?);
        /// `servers: [name, ..]` | servers of tools: MCP servers, configured in `.mcp.json` or with `.server(..)` (feature `mcp`), and sources of your own, given with `.server(..)`
        "servers" => servers: Vec<Word> = field.list("servers: [time]", server)?;
        /// `tools: { server: [glob, ..] }` | patterns that select from the tools of a server; without an entry all
        "tools" => tools: Vec<(Word, Vec<Word>)> = field.tool_filters()?;
        /// `lock: strict` | refuses tools of MCP servers that differ from the [lock file](crate::declaration::AgentDeclaration::strict_lock); default `report`, which only says so
        "lock" => lock: Option<Ident> = Some(bare(field.input, "lock: strict")?);
        /// `function_tools: [path, ..]` | tools: `#[tool]` functions, types that implement [`Tool`](crate::Tool) and `Default`
        "function_tools" => function_tools: Vec<ListEntry> = field.list("function_tools: [add_one]", |input| {
            entry(input, "function_tools", "add_one")
        })?;
        /// `toolboxes: [Kb, archive: Kb]` | types of [toolboxes](macro@crate::toolbox), with a prefix if there are several of a type; the builder gets their objects with `.toolbox(..)`
        "toolboxes" => toolboxes: Vec<ToolboxEntry> = field.list("toolboxes: [Kb]", toolbox)?;
        /// `agents: [path, ..]` | child agents: tools called `agent__Name`
        "agents" => agents: Vec<ListEntry> = field.list("agents: [Researcher]", child)?;
        /// `tool_hooks: [hook, ..]` | hooks, outermost first: `path`, `path(values)`, either with `for [..]` or `except [..]`; `..` is the place of those that are added at run time
        "tool_hooks" => tool_hooks: Vec<HookItem> = field.list("tool_hooks: [audit]", hook)?;
        /// `input_guardrails: [guardrail, ..]` | guardrails on the arguments of all calls, in their order, inside all hooks: `path`, `path(values)`, either with `for [..]` or `except [..]` ([`guardrail`](macro@crate::guardrail))
        "input_guardrails" => input_guardrails: Vec<HookEntry> = field.list("input_guardrails: [MaskPii]", |input| {
            guardrail(input, "input_guardrails", "MaskPii")
        })?;
        /// `output_guardrails: [guardrail, ..]` | guardrails on the results of all calls: of functions, servers, children and built-in tools
        "output_guardrails" => output_guardrails: Vec<HookEntry> = field.list("output_guardrails: [RejectInjection]", |input| {
            guardrail(input, "output_guardrails", "RejectInjection")
        })?;
        /// `run_hooks: [hook, ..]` | hooks around each run, in their order: `path`, `path(values)` ([`run_hook`](macro@crate::run_hook))
        "run_hooks" => run_hooks: Vec<RunHookEntry> = field.list("run_hooks: [check]", run_hook)?;
        /// `turn_hooks: [hook, ..]` | hooks around each turn, in their order: `path`, `path(values)` ([`turn_hook`](macro@crate::turn_hook))
        "turn_hooks" => turn_hooks: Vec<RunHookEntry> = field.list("turn_hooks: [trim]", turn_hook)?;
        /// `message_hooks: [hook, ..]` | hooks on its messages, in their order: `path`, `path(values)` ([`message_hook`](macro@crate::message_hooks::message_hook))
        "message_hooks" => message_hooks: Vec<RunHookEntry> = field.list("message_hooks: [redact]", message_hook)?;
        /// `runtime: [shell.execute, human.input, filesystem.read, skills.read]` | built-in tools (features `shell`, `human-input`, `filesystem`, `skills`)
        "runtime" => built_in: Vec<BuiltinTool> = field.list("runtime: [shell.execute]", built_in)?;
        /// `default: true` | the entry agent of an [`App`](crate::App)
        "default" => default: Option<LitBool> = Some(boolean(field.input, "default")?);
        /// `run: path` | a function in place of the loop: `async fn(run: &AgentRun, input: String) -> Result<String, RunError>` ([`AgentRun`](crate::run::AgentRun))
        "run" => run: Option<ExprPath> = Some(function(field.input)?);
        /// `model: ".."` | the name of the model
        "model" => model: Option<Expr> = Some(model(field.input)?);
        /// `request_params: { .. }` | `temperature`, `top_p`, `max_tokens`, `seed`, `stop_sequences`, `tool_choice`, `response_schema`, `extra_body`
        "request_params" => request_params: Vec<(Ident, Expr)> = field.table("{ temperature: 0.2 }")?;
        /// `limits: { .. }` | `turns`, `tool_calls`, `tokens`, `time_sec`, `depth`, `max_retries`, `output_retries`, `model_timeout_sec`, `model_retries`: see [`Limits`](crate::declaration::Limits)
        "limits" => limits: Vec<(Ident, Expr)> = field.table("{ turns: 10 }")?;
        /// `history_source: none` | what children start with: `none`, `child`, `orchestrator`, `messages` ([`HistorySource`](crate::declaration::HistorySource))
        "history_source" => history_source: Option<Ident> = Some(bare(field.input, "history_source: none")?);
        /// `history_merge_target: none` | where the conversations of children go: `none`, `child`, `orchestrator` ([`HistoryMergeTarget`](crate::declaration::HistoryMergeTarget))
        "history_merge_target" => history_merge_target: Option<Ident> = Some(bare(field.input, "history_merge_target: none")?);
        /// `max_parallel: 3` | the maximum number of concurrent tool calls of a run
        "max_parallel" => max_parallel: Option<Number> = Some(number(field.input, "max_parallel: 4")?);
        /// `child_timeout_sec: 120` | the maximum time of a call of a child
        "child_timeout_sec" => child_timeout_sec: Option<Number> = Some(number(field.input, "child_timeout_sec: 120")?);
        /// `max_display_instances: 20` | how many runs of each child events mark as shown
        "max_display_instances" => max_display_instances: Option<Number> = Some(number(field.input, "max_display_instances: 20")?);
        /// `effect: once` | whether a failed call of the agent as a child may be repeated: `pure`, `idempotent`, `once` ([`Effect`](crate::Effect))
        "effect" => effect: Option<Ident> = Some(bare(field.input, "effect: once")?);
        /// `state: Type` | the type of the session's state, [`State`](crate::State) in tools and hooks
        "state" => state: Option<Type> = Some(state(field.input)?);
        /// `input: Type` | the type of the input that parents give the agent, as its parameters; the agent gets it as JSON. Default: one text
        "input" => input: Option<Type> = Some(typed(field.input, "input: Question")?);
        /// `output: Type` | the type of the answers ([`TypedAgent`](crate::declaration::TypedAgent)), with `Deserialize` and `JsonSchema`. Default: text
        "output" => output: Option<Type> = Some(typed(field.input, "output: Report")?);
        /// `crate: path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(crate_path(field.input)?);
    }
}

/// The error for a field that does not exist, and the field that the user most likely meant.
pub(super) fn unknown(name: &str) -> (String, Option<&'static str>) {
    let only = |message: String| (message, None);
    if let Some(message) = synonyms::elsewhere(name) {
        return only(message.to_owned());
    }
    if name == "human_input" {
        return only("there is no field `human_input`: write `runtime: [human.input]`".to_owned());
    }
    for (table, settings) in [("request_params", REQUEST_PARAMS), ("limits", LIMITS)] {
        if settings.find(name).is_some() {
            return only(format!("`{name}` belongs in `{table}`: `{table}: {{ {name}: .. }}`"));
        }
    }
    let names = names(Fields::KEYS);
    match synonyms::ours(name) {
        Some(ours) => (format!("there is no field `{name}`: it is called `{ours}`"), Some(ours)),
        None => {
            let meant =
                suggest::nearest(name, names.iter().copied()).and_then(|near| find(Fields::KEYS, near));
            (suggest::unknown("field", name, &names), meant.map(|key| key.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;
    use crate::agent::settings::{LIMITS, REQUEST_PARAMS};
    use crate::keys::find;
    use crate::keys::tests::{assert_documented, assert_shown};

    #[test]
    fn a1_the_documentation_lists_each_field_as_the_table_has_it() {
        assert_documented("agent.md", "# Fields", Fields::KEYS);
        assert_shown("agent", Fields::KEYS);
    }

    #[test]
    fn a1_the_documentation_lists_each_entry_of_the_tables_in_fields() {
        for (field, settings) in [("request_params", REQUEST_PARAMS), ("limits", LIMITS)] {
            let row = find(Fields::KEYS, field).unwrap().row;
            for name in settings.names() {
                assert!(row.contains(&format!("`{name}`")), "{name} is not in the row of `{field}`");
            }
        }
    }

    #[test]
    fn c1_cards_have_the_same_names_of_other_frameworks() {
        const OURS: &str = include_str!("synonyms.rs");
        const CARDS: &str = include_str!("../../../cards/src/card/synonyms.rs");
        assert!(OURS == CARDS, "macros/src/agent/synonyms.rs and cards/src/card/synonyms.rs differ");
    }

    #[cfg(feature = "cards")]
    #[test]
    fn c1_cards_say_the_same_of_each_name_that_is_not_a_field() {
        use std::path::Path;

        use onionskin_cards::{Card, Source};

        use crate::agent::synonyms::{ELSEWHERE, SYNONYMS};

        let foreign = SYNONYMS.iter().chain(ELSEWHERE).map(|(theirs, _)| *theirs);
        let misplaced = [REQUEST_PARAMS, LIMITS].into_iter().flat_map(|settings| settings.names());
        for name in foreign.chain(misplaced).chain(["human_input", "instructio"]) {
            let text = format!("instruction: Answer.\n{name}: x\n");
            let error = Card::read(Path::new("a.yaml"), Source::new("a.yaml", text)).unwrap_err();
            assert_eq!(error.problems()[0].message, super::unknown(name).0, "{name}");
        }
    }
}
