//! Workflow folders: those that are read, and the mistakes of those that are not.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod folder;
mod pages;

use std::fs;
use std::path::Path;

use folder::folder_below;
use onionskin_cards::{DeckError, Item, Workflow, is_workflow_file, is_workflow_folder, workflow_files};
use onionskin_vocabulary::agent::{Limit, Setting, TextField, UiMode};
use pages::{Files, hold};
use proptest::prelude::*;
use tempfile::TempDir;

const FOLDER: &str = "workflows/Generator";
const MISTAKES: &str = include_str!("workflows/mistakes.md");

fn folder(files: &Files) -> TempDir {
    folder_below(FOLDER, files)
}

fn read(files: &Files) -> Result<Workflow, DeckError> {
    Workflow::read(folder(files).path(), Path::new("workflows/Generator"))
}

fn base() -> Files {
    pages::read(MISTAKES).0
}

#[test]
fn c4_a_workflow_folder_is_read() {
    let workflow = read(&base()).unwrap();
    assert_eq!(workflow.name, "Generator");
    assert_eq!(workflow.initial_message.unwrap().value, "Hello.");
    let [writer, reader] = &workflow.deck.cards[..] else { panic!("two agents") };
    assert_eq!(writer.name.value, "Writer");
    assert!(writer.is_default() && reader.setting(Setting::Default).is_none());
    assert_eq!(writer.until.as_ref().unwrap().value, "DONE");
    assert!(reader.until.is_none());
    assert_eq!((writer.limits[0].0.value, &writer.limits[0].1.value), (Limit::Turns, &serde_json::json!(20)));
    let tools = |card: &onionskin_cards::Card| -> Vec<String> {
        card.function_tools.iter().map(|tool| tool.value.to_string()).collect()
    };
    assert_eq!(tools(writer), ["tools/echo_all.rs:echo", "tools/request_api_key.rs:request_api_key"]);
    assert_eq!(tools(reader), ["tools/echo_all.rs:echo"]);
    let [echo, ask] = &writer.tool_uses[..] else { panic!("two tools") };
    assert_eq!(echo.description.as_ref().unwrap().value, "Simple echo");
    assert_eq!(ask.component.as_ref().unwrap().value, "AgentAPIKeyInput");
    assert_eq!(ask.mode.as_ref().unwrap().value, UiMode::Inline);
    let hook = &writer.message_hooks[0].item.value;
    assert_eq!(*hook, Item::File { file: "tools/state.rs".to_owned(), name: "update_state".to_owned() });
    assert_eq!(workflow.hooks[0].0.value, onionskin_vocabulary::agent::MessagePlace::UpdateState);
    assert!(workflow.warnings.is_empty());
}

#[test]
fn c4_one_file_says_the_same_as_four() {
    let base = base();
    let inside = |file: &str| base[file].trim().trim_start_matches('{').trim_end_matches('}').to_owned();
    let whole = format!(
        "{{ {} }}",
        ["orchestrator.json", "agents.json", "tools.json", "hooks.json"].map(inside).join(",")
    );
    let one = read(&Files::from([("workflow.json".to_owned(), whole)])).unwrap();
    let four = read(&base).unwrap();
    let agents = |workflow: &Workflow| -> Vec<_> {
        let cards = workflow.deck.cards.iter();
        cards
            .map(|card| {
                let begins = card.is_default();
                (card.name.value.clone(), begins, card.function_tools.len(), card.message_hooks.len())
            })
            .collect()
    };
    assert_eq!(agents(&one), agents(&four));
}

#[test]
fn c4_the_files_of_a_workflow_are_known_by_their_names() {
    let there = folder(&base());
    let generator = there.path().join("workflows/Generator");
    assert!(is_workflow_folder(&generator) && !is_workflow_folder(there.path()));
    for file in ["orchestrator.json", "agents.yaml", "tools.yml", "hooks.json", "workflow.json"] {
        assert!(is_workflow_file(&generator.join(file)), "{file}");
        assert!(workflow_files(&generator).contains(&generator.join(file)), "{file}");
    }
    for file in ["agents.md", "agents", "state.json", "hooks.rs", "agents.json.yaml"] {
        assert!(!is_workflow_file(&generator.join(file)), "{file}");
    }
}

#[test]
fn c4_yaml_is_read_and_reported_as_old() {
    let mut files = base();
    let hooks = "hooks:\n  - hook_type: update_agent_state\n    hook_agent: ALL_AGENTS\n    file: state.rs\n    function: update_state\n";
    files.remove("hooks.json");
    files.insert("hooks.yaml".to_owned(), hooks.to_owned());
    files.insert("tools.yml".to_owned(), "agent_tools: {}".to_owned());
    let workflow = read(&files).unwrap();
    assert!(workflow.deck.cards.iter().all(|card| card.message_hooks.len() == 1));
    assert_eq!(workflow.deck.cards[0].tool_uses.len(), 2, "JSON counts");
    let warnings: Vec<_> = workflow.warning_lines().collect();
    assert_eq!(
        warnings,
        [
            "workflows/Generator/tools.json:1:1: `tools.json` is used, and `tools.yml` beside it is not: remove one of them",
            "workflows/Generator/hooks.yaml:1:1: YAML is the old form of this file: `onionskin migrate` writes `hooks.json`",
        ]
    );
}

#[test]
fn c4_the_lists_of_an_agent_and_of_all_agents_are_united() {
    let mut files = base();
    let tools = r#"{ "agent_tools": {
        "Writer": [{ "path": "tools.echo_all.echo", "name": "say" }, { "path": "tools.own.f" }],
        "ALL_AGENTS": [{ "path": "workflows.Generator.tools.echo_all.echo", "description": "Simple echo" }]
    } }"#;
    let hook = |agent: &str| {
        format!(
            r#"{{ "hook_type": "update_agent_state", "hook_agent": "{agent}", "file": "state.rs", "function": "f" }}"#
        )
    };
    let agents = r#"{ "Writer": { "instruction": "Write.", "function_tools": ["tools/own.rs:f", "more.rs:g"] }, "Reader": { "instruction": "Read." } }"#;
    files.insert("tools.json".to_owned(), tools.to_owned());
    files.insert("hooks.json".to_owned(), format!("[{}, {}]", hook("ALL_AGENTS"), hook("Writer")));
    files.insert("agents.json".to_owned(), agents.to_owned());
    let workflow = read(&files).unwrap();
    let [writer, reader] = &workflow.deck.cards[..] else { panic!("two agents") };
    let tools = |card: &onionskin_cards::Card| -> Vec<String> {
        card.function_tools.iter().map(|tool| tool.value.to_string()).collect()
    };
    assert_eq!(tools(writer), ["tools/own.rs:f", "more.rs:g", "tools/echo_all.rs:echo"]);
    assert_eq!(tools(reader), ["tools/echo_all.rs:echo"]);
    let words = |card: &onionskin_cards::Card| {
        let used = card
            .tool_use(&Item::File { file: "tools/echo_all.rs".to_owned(), name: "echo".to_owned() })
            .unwrap();
        (used.name.clone().map(|name| name.value), used.description.clone().map(|text| text.value))
    };
    assert_eq!(words(writer), (Some("say".to_owned()), None), "the agent's own entry counts");
    assert_eq!(words(reader), (None, Some("Simple echo".to_owned())));
    assert_eq!((writer.message_hooks.len(), reader.message_hooks.len()), (1, 1));
}

#[test]
fn c4_json_is_read_as_json_is_written() {
    let mut files = base();
    let long = "x".repeat(3000);
    let agents = format!(
        "{{\r\n\t\"Writer\"\t:\t{{\n\t\t\"instruction\" : \"\\ud83d\\ude00 \\u00e9\\/\\\" \\t{long}\",\n\t\"limits\":{{\"tokens\":1E3}}}}\n,\"Reader\":{{\"instruction\":\"# no comment\"}}}}\n"
    );
    assert!(serde_json::from_str::<serde_json::Value>(&agents).is_ok());
    files.insert("agents.json".to_owned(), agents.replace("1E3", "1000"));
    let workflow = read(&files).unwrap_or_else(|error| panic!("{error}"));
    let Some(onionskin_cards::Text::Template(text)) = workflow.deck.cards[0].text(TextField::Instructions)
    else {
        panic!("a text")
    };
    assert_eq!(text.value, format!("\u{1f600} é/\" \t{long}"));
}

#[test]
fn c4_a_script_is_a_tool_where_there_is_no_file_of_rust() {
    let folder = folder(&base());
    let tools = folder.path().join("workflows/Generator/tools");
    fs::create_dir(&tools).unwrap();
    fs::write(tools.join("echo_all.rhai"), "").unwrap();
    let tool = || {
        let workflow = Workflow::read(folder.path(), Path::new("workflows/Generator")).unwrap();
        workflow.deck.cards[1].function_tools[0].value.to_string()
    };
    assert_eq!(tool(), "tools/echo_all.rhai:echo");
    fs::write(tools.join("echo_all.rs"), "").unwrap();
    assert_eq!(tool(), "tools/echo_all.rs:echo");
}

#[test]
fn c4_each_mistake_has_a_place_and_says_what_to_write() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workflows/mistakes.md");
    let cases =
        hold(&page, |case| Ok(read(&case.files).map_or_else(|error| error.to_string(), |_| String::new())));
    assert!(cases >= 70, "{cases}");
}

#[test]
fn c4_json_may_begin_with_the_mark_of_an_editor() {
    let mut files = base();
    for text in files.values_mut() {
        text.insert(0, '\u{feff}');
    }
    let workflow = read(&files).unwrap();
    let start = workflow.deck.cards.iter().find(|card| card.is_default());
    assert_eq!(start.unwrap().name.value, "Writer");
}

#[test]
fn c4_an_agent_is_not_called_as_all_agents_are() {
    let mut files = base();
    let agents = "{ \"Writer\": { \"instruction\": \"Write.\" }, \"Reader\": { \"instruction\": \"Read.\" }, \"ALL_AGENTS\": { \"instruction\": \"A.\" } }";
    files.insert("agents.json".to_owned(), agents.to_owned());
    let error = read(&files).unwrap_err().to_string();
    assert!(error.contains("`ALL_AGENTS` is the word for all agents in `tools.json` and `hooks.json`; give this agent another name"), "{error}");
    assert_eq!(error.matches("error: ").count(), 1, "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c4_any_text_of_json_is_read_as_it_is(text in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{2028}\\u{feff}\\u{fffe}\\u{ffff}]|.){0,40}", escaped in any::<bool>()) {
        let mut written = serde_json::to_string(&text).unwrap();
        if escaped {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            written = format!("\"{}\"", units.collect::<String>());
        }
        let mut files = base();
        files.insert("agents.json".to_owned(), format!("{{ \"Writer\": {{ \"instruction\": {written} }}, \"Reader\": {{ \"instruction\": \"Read.\" }} }}"));
        let workflow = read(&files).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Some(onionskin_cards::Text::Template(read)) = workflow.deck.cards[0].text(TextField::Instructions) else { panic!("a text") };
        prop_assert_eq!(&read.value, &text);
    }

    #[test]
    fn c4_any_text_in_a_file_is_read_or_is_a_mistake_with_its_place(
        file in 0..4_usize, at in 0..400_usize, text in "[ -~é\n]{0,8}", cut in 0..3_usize,
    ) {
        let mut files = base();
        let name = files.keys().nth(file).unwrap().clone();
        let content = files.get_mut(&name).unwrap();
        let at = (0..=at.min(content.len())).rev().find(|at| content.is_char_boundary(*at)).unwrap();
        let end = content.ceil_char_boundary((at + cut).min(content.len()));
        content.replace_range(at..end, &text);
        if let Err(error) = read(&files) {
            prop_assert!(!error.errors().is_empty());
            for line in error.errors().iter().flat_map(onionskin_cards::CardError::lines) {
                prop_assert!(line.starts_with("workflows/Generator"), "{}", line);
            }
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
