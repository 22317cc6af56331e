//! Workflow folders that a program loads at run time.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use onionskin::loader::{CardLoader, LoadError, LoadedWorkflow, MistakeKind, Registry};
use onionskin::message_hooks::message_hook;
use onionskin::question::{Answer, AskError, Question, QuestionKind};
use onionskin::ui::{UiMode, ui_tool};
use onionskin::{RunError, ScriptedModel, ScriptedTurn, SessionState, ToolContext, ToolDefinition, tool};
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::folder::folder_below;
use super::pages::{Case, Files, read};

const FOLDER: &str = "workflows/Generator";

fn folder(files: &Files) -> TempDir {
    folder_below(FOLDER, files)
}

fn load(registry: Registry, files: &Files) -> Result<LoadedWorkflow, LoadError> {
    CardLoader::new(registry).base(folder(files).path()).load_workflow(FOLDER)
}

fn cases(page: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../cards/tests/workflows/{page}.md"));
    read(&fs::read_to_string(path).unwrap()).1
}

#[test]
fn c4_each_mistake_of_a_workflow_is_a_load_error_with_the_same_words_and_place() {
    let cases = cases("mistakes");
    assert!(cases.len() > 70, "{}", cases.len());
    for Case { name, files, message: said, .. } in cases {
        let error = load(Registry::new(), &files).unwrap_err();
        assert_eq!(error.to_string().trim_end(), said.trim_end(), "{name}");
        for mistake in error.mistakes() {
            assert!(matches!(mistake.kind, MistakeKind::Format | MistakeKind::Cards), "{name}: {mistake:?}");
            assert!(mistake.file.starts_with(FOLDER), "{name}: {mistake:?}");
            let place = format!(" {}:{}:{}\n", mistake.file, mistake.line, mistake.column);
            assert!(
                said.contains(&place) || said.contains(&format!("--> {}", mistake.file)),
                "{name}: {mistake}"
            );
        }
    }
}

/// Says a text back.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Asks.
#[ui_tool(component = "Box")]
async fn ask(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().use_ui_tool("ask", "Generator", ()).await
}

/// Notes that it ran.
#[message_hook(update_agent_state)]
fn update_state(state: &SessionState) {
    let count = state.get("updates").and_then(|count| count.as_u64()).unwrap_or_default();
    state.set("updates", count + 1);
}

/// Does one thing.
#[tool]
fn one() {}

/// Does another thing.
#[tool]
fn two() {}

/// The items of the page `items`.
fn registry() -> Registry {
    Registry::new()
        .file("workflows/Generator/tools/echo_all.rs", |items| items.tool::<echo>())
        .file("workflows/Generator/tools/ask.rs", |items| items.tool::<ask>())
        .file("workflows/Generator/tools/state.rs", |items| items.message_hook::<update_state>())
        .file("workflows/Generator/tools/two.rs", |items| items.tool::<one>().tool::<two>())
}

#[test]
fn c4_each_mistake_in_an_item_is_a_load_error_with_the_same_words_and_place() {
    let cases = cases("items");
    assert!(cases.len() > 10, "{}", cases.len());
    for Case { name, files, message: said, .. } in cases {
        let error = load(registry(), &files).unwrap_err();
        assert_eq!(error.to_string().trim_end(), said.trim_end(), "{name}");
        assert!(
            error.mistakes().iter().all(|mistake| mistake.kind != MistakeKind::Format),
            "{name}: {error:?}"
        );
    }
}

/// A workflow of two agents, with these files in place of its own.
fn workflow(changed: &[(&str, &str)]) -> Files {
    let files = [
        ("orchestrator.json", r#"{ "start_agent": "Writer", "initial_message": "Begin." }"#),
        (
            "agents.json",
            r#"{ "Writer": { "instruction": "Write.", "agents": ["Reader"] }, "Reader": { "instruction": "Read.", "description": "Reads." } }"#,
        ),
        (
            "tools.json",
            r#"{
            "agent_tools": { "ALL_AGENTS": [{ "path": "tools.echo_all.echo" }], "Writer": [{ "path": "tools.echo_all.echo", "name": "say", "description": "Says." }] },
            "ui_tools": { "Reader": [{ "path": "tools.ask.ask", "component": "BigBox", "mode": "artifact" }] }
        }"#,
        ),
        (
            "hooks.json",
            r#"[{ "hook_type": "update_agent_state", "hook_agent": "ALL_AGENTS", "file": "state.rs", "function": "update_state" }]"#,
        ),
    ];
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let mut all: Files = files.iter().map(owned).collect();
    all.extend(changed.iter().map(owned));
    all
}

async fn definitions(workflow: &LoadedWorkflow, agent: &str) -> Vec<ToolDefinition> {
    let app = workflow.builder().model(ScriptedModel::turns([])).build().await.unwrap();
    app.agent(agent).unwrap().tool_definitions().unwrap().to_vec()
}

#[tokio::test]
async fn c4_words_of_a_tool_are_those_of_one_agent() {
    let workflow = load(registry(), &workflow(&[])).unwrap();
    assert_eq!((workflow.name(), workflow.initial_message()), ("Generator", Some("Begin.")));
    assert!(workflow.warnings().is_empty());
    let shown = |tools: Vec<ToolDefinition>| -> Vec<(String, String)> {
        tools.iter().map(|tool| (tool.name.to_string(), tool.description.to_string())).collect()
    };
    let pair = |name: &str, words: &str| (name.to_owned(), words.to_owned());
    let writer = shown(definitions(&workflow, "Writer").await);
    assert_eq!(writer, [pair("say", "Says."), pair("agent__Reader", "Reads.")]);
    let reader = definitions(&workflow, "Reader").await;
    assert_eq!(reader[1].component(), Some("BigBox"));
    assert_eq!(shown(reader), [pair("echo", "Says a text back."), pair("ask", "Asks.")]);
}

#[tokio::test]
async fn c4_a_loaded_workflow_runs_with_its_hooks_and_its_component() {
    let workflow = load(registry(), &workflow(&[])).unwrap();
    let model = ScriptedModel::new()
        .agent(
            "Writer",
            [
                ScriptedTurn::call("say", json!({ "text": "Hm." })),
                ScriptedTurn::call("agent__Reader", json!({ "input": "Ask." })),
                ScriptedTurn::say("{input} {last}"),
            ],
        )
        .agent("Reader", [ScriptedTurn::call("ask", json!({})), ScriptedTurn::say("{last}")]);
    let asked: Arc<Mutex<Vec<(String, UiMode, String)>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let person = move |question: Question| {
        let seen = Arc::clone(&seen);
        async move {
            let QuestionKind::Component(shown) = question.kind() else { return None };
            seen.lock().unwrap().push((
                shown.component().to_owned(),
                shown.mode(),
                shown.workflow().to_owned(),
            ));
            Answer::value("Yes.").ok()
        }
    };
    let app = workflow.builder().model(model).answerer(person).build().await.unwrap();
    let session = app.entry().session();
    let output = app.entry().request(app.initial_message().unwrap()).session(&session).run().await.unwrap();
    assert_eq!(output.text, "Begin. Yes.");
    assert_eq!(session.state().get("updates"), Some(json!(5)), "in each turn of both agents");
    assert_eq!(*asked.lock().unwrap(), [("BigBox".to_owned(), UiMode::Artifact, "Generator".to_owned())]);
}

#[tokio::test]
async fn c4_a_run_goes_on_until_the_termination_and_within_the_limit_of_turns() {
    let orchestrator = r#"{ "start_agent": "Writer", "turn_limit": 3, "termination": "DONE" }"#;
    let workflow = load(registry(), &workflow(&[("orchestrator.json", orchestrator)])).unwrap();
    let run = async |turns: &[&str]| {
        let model = ScriptedModel::new().agent("Writer", turns.iter().map(|text| ScriptedTurn::say(*text)));
        workflow.builder().model(model).run("Write.").await
    };
    let output = run(&["One.", "Two. DONE"]).await.unwrap();
    assert_eq!((&*output.text, output.turns), ("Two. DONE", 2));
    assert_eq!(run(&["DONE"]).await.unwrap().turns, 1);
    let error = run(&["One.", "Two.", "Three.", "Four. DONE"]).await.unwrap_err();
    assert!(matches!(&error, RunError::Limit { .. }), "{error}");
    let model = ScriptedModel::turns([]);
    let error = workflow.builder().model(model).begin().await.unwrap_err();
    assert!(matches!(&error, RunError::NoInput { .. }), "{error}");
}

#[test]
fn c4_old_and_unused_files_are_warnings() {
    let files = workflow(&[("tools.yml", "agent_tools: {}"), ("hooks.json", "(none)"), ("hooks.yaml", "[]")]);
    assert_eq!(
        load(registry(), &files).unwrap().warnings(),
        [
            "workflows/Generator/tools.json:1:1: `tools.json` is used, and `tools.yml` beside it is not: remove one of them",
            "workflows/Generator/hooks.yaml:1:1: YAML is the old form of this file: `onionskin migrate` writes `hooks.json`",
        ]
    );
}

#[tokio::test]
async fn c4_a_changed_an_added_and_a_broken_file_are_seen_by_the_next_run() {
    let folder = folder(&workflow(&[]));
    let file = |name: &str| folder.path().join(FOLDER).join(name);
    let workflow = CardLoader::new(registry())
        .base(folder.path())
        .watch_workflow(FOLDER, |workflow| workflow.builder().model(ScriptedModel::turns([])))
        .start()
        .await
        .unwrap();
    let prompt = async || workflow.app().await.entry().system_prompt().await.unwrap().unwrap();
    assert_eq!(prompt().await, "Write.");
    let first = workflow.app().await;
    assert!(Arc::ptr_eq(&first, &workflow.app().await), "nothing has changed");

    fs::write(file("agents.json"), r#"{ "Writer": { "instruction": "Rewrite." } }"#).unwrap();
    fs::write(file("tools.json"), "{}").unwrap();
    assert_eq!(prompt().await, "Rewrite.");

    fs::rename(file("agents.json"), file("agents.yaml")).unwrap();
    assert_eq!(prompt().await, "Rewrite.");
    fs::write(file("agents.json"), r#"{ "Writer": { "instruction": "In JSON." } }"#).unwrap();
    assert_eq!(prompt().await, "In JSON.", "a file that was added counts before YAML");

    fs::write(file("hooks.json"), "[{}]").unwrap();
    assert_eq!(prompt().await, "In JSON.");
    let problem = workflow.problem().unwrap().to_string();
    assert!(problem.contains("workflows/Generator/hooks.json:1:2"), "{problem}");
    fs::remove_file(file("hooks.json")).unwrap();
    workflow.app().await;
    assert!(workflow.problem().is_none());
}

#[cfg(feature = "rhai")]
#[tokio::test]
async fn c4_a_script_is_a_tool_of_an_agent() {
    let tools = r#"{ "agent_tools": { "Writer": [{ "path": "tools.add.add_one", "name": "plus", "description": "Adds one." }] } }"#;
    let script =
        "/// Adds one.\n///\n/// # Arguments\n///\n/// * `x: int` - the number\nfn add_one(x) { x + 1 }";
    let files = workflow(&[("tools.json", tools), ("tools/add.rhai", script)]);
    let workflow = load(registry(), &files).unwrap();
    let plus = definitions(&workflow, "Writer").await.swap_remove(1);
    assert_eq!((&*plus.name, &*plus.description), ("plus", "Adds one."));
    let call = ScriptedTurn::call("plus", json!({ "x": 1 }));
    let model = ScriptedModel::new().agent("Writer", [call, ScriptedTurn::say("{last}")]);
    assert_eq!(workflow.builder().model(model).begin().await.unwrap().text, "2");
}

/// The folder of the guide with scripts in place of Rust.
#[cfg(feature = "rhai")]
const SCRIPTS: [(&str, &str); 4] = [
    (
        "tools/echo_all.rhai",
        "/// Says a text back.\n/// Args:\n///     text (string): The text.\nfn echo(text) { text }\n",
    ),
    (
        "tools/request_api_key.rhai",
        "/// Requests a key.\n/// Args:\n///     service (string): The service.\nfn request_api_key(service) {\n    \
         use_ui_tool(\"api_key_input\", \"Generator\", #{ service: service })\n}\n",
    ),
    (
        "tools/state.rhai",
        "fn update_state(state, messages) {\n    state.message_count = messages.len();\n    state.last = messages[-1].role;\n    state\n}\n",
    ),
    (
        "tools/redaction.rhai",
        "fn redact_before_send(sender, message, recipient, silent) {\n    message.replace(\"sk-17\", `[${sender} to ${recipient}]`);\n    message\n}\n",
    ),
];

/// A workflow like that of the guide, with these scripts.
#[cfg(feature = "rhai")]
fn in_scripts(changed: &[(&str, &str)]) -> Files {
    let mut files = vec![
        (
            "tools.json",
            r#"{
            "agent_tools": { "ALL_AGENTS": [{ "path": "workflows.Generator.tools.echo_all.echo", "description": "Simple echo" }] },
            "ui_tools": { "Writer": [{ "path": "workflows.Generator.tools.request_api_key.request_api_key", "component": "AgentAPIKeyInput", "mode": "inline" }] }
        }"#,
        ),
        (
            "hooks.json",
            r#"[
            { "hook_type": "process_message_before_send", "hook_agent": "Writer", "file": "redaction.rhai", "function": "redact_before_send" },
            { "hook_type": "update_agent_state", "hook_agent": "Reader", "file": "state.rhai", "function": "update_state" }
        ]"#,
        ),
    ];
    files.extend(SCRIPTS.iter().chain(changed));
    workflow(&files)
}

/// A model that asks for the key, and tells it to the other agent.
#[cfg(feature = "rhai")]
fn key_model() -> ScriptedModel {
    let asks = [
        ScriptedTurn::call("request_api_key", json!({ "service": "mail" })),
        ScriptedTurn::call("agent__Reader", json!({ "input": "It is {last}." })),
        ScriptedTurn::say("{last} And sk-17."),
    ];
    ScriptedModel::new().agent("Writer", asks).agent(
        "Reader",
        [ScriptedTurn::call("echo", json!({ "text": "{input}" })), ScriptedTurn::say("{last}")],
    )
}

#[cfg(feature = "rhai")]
#[tokio::test]
async fn c4_the_folder_runs_with_scripts_alone() {
    let workflow = load(Registry::new(), &in_scripts(&[])).unwrap();
    let person = |question: Question| async move {
        let QuestionKind::Component(shown) = question.kind() else { return None };
        assert_eq!(
            (shown.component(), shown.mode(), shown.workflow()),
            ("AgentAPIKeyInput", UiMode::Inline, "Generator")
        );
        assert_eq!((shown.tool_id(), shown.payload()), ("api_key_input", &json!({ "service": "mail" })));
        Answer::value("sk-17").ok()
    };
    let app = workflow.builder().model(key_model()).answerer(person).build().await.unwrap();
    let session = app.entry().session();
    let output = app.entry().request("Connect.").session(&session).run().await.unwrap();
    assert_eq!(output.text, "It is [Writer to Reader]. And [Writer to user].");
    let state = session.state().to_value();
    assert_eq!((&state["message_count"], &state["last"]), (&json!(3), &json!("tool")), "{state}");
    assert_eq!(app.describe().unwrap().agents[0].message_hooks, ["redaction.rhai:redact_before_send"]);
    // Without an answerer, the run pauses, and the script starts again.
    let app = workflow.builder().model(key_model()).build().await.unwrap();
    let Err(RunError::Paused(paused)) = app.run("Connect.").await else { panic!("it has not paused") };
    let key = paused.questions()[0].key();
    let answer = Answer::value("sk-17").unwrap();
    let resumed = app.entry().resume(&paused).answer(key, answer).run().await.unwrap();
    assert_eq!(resumed.text, output.text);
}

#[cfg(feature = "rhai")]
#[test]
fn c4_scripts_that_do_not_fit_their_entry_are_refused() {
    let said = |file: &str, script: &str| {
        let error = load(Registry::new(), &in_scripts(&[(file, script)])).unwrap_err();
        let mistakes: Vec<_> =
            error.mistakes().iter().map(|mistake| (mistake.kind, mistake.message.clone())).collect();
        let [one] = &*mistakes else { panic!("{mistakes:?}") };
        one.clone()
    };
    let (kind, words) = said("tools/state.rhai", "fn update_state(agent) { agent }\n");
    assert_eq!(
        (kind, &*words),
        (
            MistakeKind::Script,
            "`tools/state.rhai:update_state` cannot be a hook on messages: workflows/Generator/tools/state.rhai:1:4: the parameters of a hook \
             on messages say its place: `fn update_state(sender, message, recipient, silent)` for `process_message_before_send`, \
             `fn update_state(state, messages)` for `update_agent_state`, `fn update_state(message)` for `process_last_received_message`, \
             `fn update_state(messages)` for `process_all_messages_before_reply`; this is `fn update_state(agent)`"
        )
    );
    let (kind, words) = said("tools/state.rhai", "fn update_state(messages) { messages }\n");
    assert_eq!(
        (kind, &*words),
        (
            MistakeKind::WrongKind,
            "`tools/state.rhai:update_state` is a hook of `process_all_messages_before_reply`, and not of `update_agent_state`: write \
             `\"hook_type\": \"process_all_messages_before_reply\"`"
        )
    );
    let (kind, words) =
        said("tools/echo_all.rhai", "/// Says.\nfn echo() { use_ui_tool(\"a\", \"b\", 1) }\n");
    assert_eq!(kind, MistakeKind::Script);
    assert!(
        words.ends_with("echo_all.rhai:2:13: there is no function `use_ui_tool` here: it is for UI tools, the `ui_tools` of a workflow"),
        "{words}"
    );
    let (kind, words) = said("tools/redaction.rhai", &format!("{}fn more() {{}}\n", SCRIPTS[3].1));
    assert!(kind == MistakeKind::WrongKind && words.contains("`private fn more`"), "{words}");
}

#[cfg(feature = "rhai")]
#[test]
fn c4_a_script_in_the_folder_of_tools_holds_one_item() {
    let tools = r#"{ "agent_tools": { "Writer": [{ "path": "tools.add.add_one" }] } }"#;
    let load = |helper: &str| {
        let script = format!("/// Adds one.\nfn add_one() {{ more() }}\n{helper}fn more() {{ 1 }}\n");
        load(registry(), &workflow(&[("tools.json", tools), ("tools/add.rhai", &script)]))
    };
    let error = load("").unwrap_err();
    assert_eq!(
        error.mistakes()[0].to_string(),
        "workflows/Generator/tools.json:1:41: `tools/add.rhai` holds `add_one` and `more`: a file in `tools` holds one tool, UI tool or hook; \
         move one of them to a file of its own, or write `private` in front of one that only the others call: `private fn more`"
    );
    load("private ").unwrap();
}

/// Does the reading of these files end, soon, with agents or with places?
fn ends(files: &Files) -> Result<(), TestCaseError> {
    let began = Instant::now();
    let loaded = load(registry(), files);
    prop_assert!(began.elapsed() < Duration::from_secs(10));
    if let Err(error) = loaded {
        prop_assert!(!error.mistakes().is_empty());
        for mistake in error.mistakes() {
            prop_assert!(
                mistake.file.starts_with(FOLDER) && mistake.line > 0 && mistake.column > 0,
                "{mistake}"
            );
        }
    }
    Ok(())
}

#[test]
fn c4_deep_and_huge_files_are_refused_with_a_place() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
    let texts = [
        deep("[", "]"),
        deep("{\"a\":", "}"),
        deep("{\"agent_tools\":{\"Writer\":[", "]}}"),
        format!("\"{}\"", "a".repeat(2 << 20)),
        format!("[{}]", vec!["{}"; 200_000].join(",")),
        "\0".repeat(1000),
    ];
    for text in &texts {
        for file in ["orchestrator.json", "agents.json", "tools.json", "hooks.json", "hooks.yaml"] {
            let mut files = workflow(&[(file, text)]);
            if file == "hooks.yaml" {
                files.remove("hooks.json");
            }
            ends(&files).unwrap();
            assert!(load(registry(), &files).is_err(), "{file}: {}", &text[..20]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn c4_any_change_of_any_file_is_loaded_or_is_a_mistake_with_its_place(
        file in 0..4_usize, at in 0..600_usize, cut in 0..40_usize,
        text in "([\\[\\]{}:,\"0-9a-z_ é\\\\\n&*!|>#-]|null|true|ALL_AGENTS|\"Writer\"){0,6}",
        yaml in any::<bool>(),
    ) {
        let mut files = workflow(&[]);
        let name = files.keys().nth(file).unwrap().clone();
        let mut content = files.remove(&name).unwrap();
        let at = content.floor_char_boundary(at.min(content.len()));
        let end = content.ceil_char_boundary((at + cut).min(content.len()));
        content.replace_range(at..end, &text);
        files.insert(if yaml { name.replace(".json", ".yaml") } else { name }, content);
        ends(&files)?;
    }
}
