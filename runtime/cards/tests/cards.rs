//! Whole cards: those that are read, and the mistakes of those that are not.

mod pages;

use std::fs;
use std::path::Path;

use onionskin_cards::{Card, CardError, HookItem, Item, Source, Spanned, Target, Text, read_file};
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::{Setting, TextField};
use pages::{Case, hold};
use proptest::prelude::*;
use serde_json::json;

fn read(name: &str, text: &str) -> Result<Card, CardError> {
    Card::read(Path::new(name), Source::new(name, text))
}

const PMO: &str = "---
type: agent
name: PMO-orchestrator
default: true
servers:
  - time
tools:
  time: [get_time]
function_tools:
  - tools.rs:add_one
agents:
  - NY-Project-Manager
  - London-Project-Manager
tool_hooks:
  - hooks.rs:audit_hook
history_source: none
history_merge_target: none
max_parallel: 128
child_timeout_sec: 120
max_display_instances: 20
---
Get project updates.
";

#[test]
fn c1_a_card_of_the_seed_is_read() {
    let card = read("pmo.md", PMO).unwrap();
    assert_eq!(card.name.value, "PMO-orchestrator");
    assert!(card.is_default());
    assert_eq!(card.servers[0].value, "time");
    assert_eq!((&*card.tools[0].0.value, &*card.tools[0].1[0].value), ("time", "get_time"));
    let tool = Item::File { file: "tools.rs".to_owned(), name: "add_one".to_owned() };
    assert_eq!(card.function_tools[0].value, tool);
    assert_eq!(&PMO[card.function_tools[0].span.clone()], "tools.rs:add_one");
    let agents: Vec<_> = card.agents.iter().map(|agent| &*agent.value).collect();
    assert_eq!(agents, ["NY-Project-Manager", "London-Project-Manager"]);
    let [HookItem::Hook(hook, None)] = &card.tool_hooks[..] else { panic!("one hook") };
    assert_eq!(hook.item.value.to_string(), "hooks.rs:audit_hook");
    let Some(Text::Template(text)) = card.text(TextField::Instructions) else { panic!("a text") };
    assert_eq!(text.value, "Get project updates.");
    let setting = |setting| card.setting(setting).unwrap().value.clone();
    assert_eq!(setting(Setting::HistorySource), json!("none"));
    assert_eq!(setting(Setting::MaxParallel), json!(128));
    assert_eq!(setting(Setting::ChildTimeout), json!(120.0));
    assert_eq!(setting(Setting::MaxDisplayInstances), json!(20));
}

#[test]
fn c1_a_name_is_the_stem_of_the_file_by_default() {
    assert_eq!(read("cards/clerk.md", "---\n---\nAnswer.").unwrap().name.value, "clerk");
    assert_eq!(read("desk.v2.yaml", "instruction: Answer.\nname: desk").unwrap().name.value, "desk");
}

#[test]
fn c1_yaml_says_the_same_as_markdown() {
    let markdown = read("a.md", "---\nmodel: gpt\nmarkdown: true\n---\n\nAnswer.\n\nIn one line.\n").unwrap();
    let yaml =
        read("a.yml", "model: gpt\nmarkdown: true\ninstruction: |-\n  Answer.\n\n  In one line.\n").unwrap();
    let text = |card: &Card| match card.text(TextField::Instructions) {
        Some(Text::Template(text)) => text.value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(&markdown), text(&yaml));
    assert_eq!(markdown.flags[0].0, yaml.flags[0].0);
    let model = |card: &Card| card.setting(Setting::Model).unwrap().value.clone();
    assert_eq!((model(&markdown), model(&yaml)), (json!("gpt"), json!("gpt")));
}

#[test]
fn c1_hooks_have_values_filters_and_places() {
    let card = read(
        "a.yaml",
        "instruction: Answer.
servers: [time]
function_tools: [tools.rs:add_one]
tool_hooks:
  - { hook: hooks.rs:short, with: [2000, [a, true]], for: [add_one, server(time)] }
  - ..
  - { hook: ::onionskin::hooks::log, except: [source(agent)] }
turn_hooks:
  before_llm_call: hooks.rs:trim
  after_llm_call: [hooks.rs:a, { hook: hooks.rs:b, with: [1] }]
run_hooks: [hooks.rs:check]
",
    )
    .unwrap();
    let [HookItem::Hook(short, Some(only)), HookItem::Rest(_), HookItem::Hook(_, Some(all_but))] =
        &card.tool_hooks[..]
    else {
        panic!("{:?}", card.tool_hooks)
    };
    let with: Vec<_> = short.with.iter().map(|value| value.value.clone()).collect();
    assert_eq!(with, [json!(2000), json!(["a", true])]);
    let targets: Vec<_> = only.targets.iter().map(|target| target.value.clone()).collect();
    assert_eq!(targets, [Target::Name("add_one".to_owned()), Target::Server("time".to_owned())]);
    assert_eq!((only.except, all_but.except), (false, true));
    let places: Vec<_> = card
        .turn_hooks
        .iter()
        .map(|(place, hook)| (place.as_ref().unwrap().value.word(), hook.item.value.to_string()))
        .collect();
    assert_eq!(
        places,
        [
            ("before_llm_call", "hooks.rs:trim".to_owned()),
            ("after_llm_call", "hooks.rs:a".to_owned()),
            ("after_llm_call", "hooks.rs:b".to_owned())
        ]
    );
}

#[test]
fn c1_each_mistake_has_a_place_and_says_what_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let found = |case: &Case| {
        let file = folder.path().join(&case.name);
        fs::write(&file, &case.files[&case.name]).unwrap();
        let card = Card::read(Path::new(&case.name), read_file(&file, &*case.name).unwrap());
        Ok(card.map_or_else(|error| error.to_string(), |_| String::new()))
    };
    let pages = pages::pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes"));
    let cases: usize = pages.iter().map(|page| hold(page, found)).sum();
    assert!(cases >= 176, "{cases}");
}

/// A card of all fields.
const ALL: &str = "---
name: desk
description: \"Answers: people.\"
role: A clerk.
expected_output: { function: \"prompts.rs:wanted\" }
additional_context: \"{{kept}} 'a' \\\"b\\\" \\\\ \\t\"
markdown: true
servers: [time, mail]
tools: { time: [\"get_*\"], mail: [] }
resources: { mail: [\"mail://*/inbox\", \"a: 'b' #c\"], time: [\"*\"] }
prompts: { mail: [sort, \"plan_*\"] }
function_tools: [tools.rs:add_one, \"crate::tools::add_two\"]
toolboxes: [{ archive: kb.rs:Kb }, kb.rs:Kb]
agents: [office, \"crate::Helper\"]
tool_hooks:
  - { hook: hooks.rs:mark, with: [\" a\", 1.5, 2.0, { a: [null, true] }], for: [add_one, server(time), tool(x)] }
  - ..
  - { hook: hooks.rs:mark, except: [source(agent)] }
  - hooks.rhai:audit
input_guardrails: [guardrails.rs:short, { guardrail: \"::onionskin::guardrails::MaskPii\", for: [server(mail)] }]
output_guardrails: [{ guardrail: guardrails.rs:longer, with: [9], except: [add_one] }]
run_hooks: [hooks.rs:louder]
turn_hooks: { before_llm_call: { hook: hooks.rs:at_most, with: [77] }, after_llm_call: [a.rs:b, a.rs:c] }
message_hooks: [hooks.rs:m]
runtime: [shell.execute]
default: true
model: small
request_params: { temperature: 1, seed: 3, stop_sequences: [END], tool_choice: required, extra_body: { a: [1e30] } }
limits: { turns: 5, time_sec: 60.5, tokens: 12345678901234 }
history_source: child
history_merge_target: none
max_parallel: 4
child_timeout_sec: 10.5
max_display_instances: 3
effect: pure
run: s.rs:plan
state: s.rs:State
input: s.rs:Question
output: s.rs:Report
---
Answer \"well\".

---
And {politely}.
";

/// A card without the places of its values.
fn values(card: &Card) -> String {
    let card = format!("{:?}", Card { source: Source::new("", ""), ..card.clone() });
    let mut values = String::new();
    let mut rest = card.as_str();
    while let Some((before, behind)) = rest.split_once(", span: ") {
        values.push_str(before);
        rest = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    }
    values + rest
}

#[test]
fn c3_a_card_as_text_is_read_as_the_same_card() {
    let card = read("desk.md", ALL).unwrap();
    let written = card.to_markdown();
    let again = read("desk.md", &written).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(values(&card), values(&again), "{written}");
    assert_eq!(written, again.to_markdown());
    assert!(written.ends_with("---\nAnswer \"well\".\n\n---\nAnd {politely}.\n"), "{written}");
}

/// Hooks around turns with a place in `tool_hooks`, and without one in `turn_hooks`, in either order.
#[test]
fn c3_hooks_around_turns_with_and_without_a_place_are_written_in_two_fields() {
    let places = "tool_hooks: { before_llm_call: [hooks.rs:a, hooks.rs:b], after_llm_call: hooks.rs:c }\n";
    let list = "turn_hooks: [hooks.rs:d, { hook: hooks.rs:e, with: [1] }]\n";
    for fields in [[places, list], [list, places]] {
        let card = read("desk.md", &format!("---\n{}---\nAnswer.\n", fields.concat())).unwrap();
        assert_eq!(card.turn_hooks.len(), 5);
        let written = card.to_markdown();
        let again = read("desk.md", &written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(values(&card), values(&again), "{written}");
    }
}

proptest! {
    #[test]
    fn c3_any_texts_of_a_card_are_read_as_they_were_written(
        description: String, instruction: String, value in "\\PC{0,8}", number: f64,
    ) {
        let mut card = read("desk.md", ALL).unwrap();
        for (field, text) in [(TextField::Description, description), (TextField::Instructions, instruction)] {
            let known = card.texts.iter_mut().find(|(known, _)| *known == field).unwrap();
            known.1 = Text::Template(Spanned::new(text, 0..0));
        }
        let number = serde_json::Number::from_f64(number).map_or(json!(value), serde_json::Value::from);
        card.request_params[4].1.value = json!({ value: [number] });
        let written = card.to_markdown();
        let again = read("desk.md", &written).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(values(&card), values(&again), "{}", written);
    }

    #[test]
    fn c1_any_text_is_a_card_or_has_mistakes_with_places(text: String, markdown: bool) {
        any_card(&text, markdown)?;
    }

    #[test]
    fn c1_any_lines_of_yaml_are_a_card_or_have_mistakes_with_places(
        lines in prop::collection::vec(line(), 0..12), markdown: bool,
    ) {
        let front = lines.join("\n");
        let text = if markdown { format!("---\n{front}\n---\nAnswer.") } else { front };
        any_card(&text, markdown)?;
    }
}

fn any_card(text: &str, markdown: bool) -> Result<(), TestCaseError> {
    let name = if markdown { "a.md" } else { "a.yaml" };
    if let Err(error) = read(name, text) {
        prop_assert!(!error.problems().is_empty());
        for problem in error.problems() {
            prop_assert!(
                problem.span.start <= problem.span.end && problem.span.end <= text.len(),
                "{problem:?}"
            );
            prop_assert!(
                text.is_char_boundary(problem.span.start) && text.is_char_boundary(problem.span.end)
            );
        }
        prop_assert!(!error.to_string().is_empty());
    }
    Ok(())
}

fn line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just("servers"),
        Just("tools"),
        Just("name"),
        Just("tool_hooks"),
        Just("limits"),
        Just("turns"),
        Just("instruction"),
        Just("- hook"),
        Just("-"),
        Just("agents"),
        Just("  for"),
        Just("toolboxes"),
        Just("request_params"),
        Just("x"),
    ];
    let value = prop_oneof![
        Just(String::new()),
        Just("[a, b]".to_owned()),
        Just("{a: 1}".to_owned()),
        Just("\"ü\"".to_owned()),
        Just("&a".to_owned()),
        Just("*a".to_owned()),
        Just("|\n  x".to_owned()),
        Just("..".to_owned()),
        Just("server(time)".to_owned()),
        "[ -~]{0,12}",
    ];
    (0_usize..3, key, value).prop_map(|(deep, key, value)| format!("{}{key}: {value}", "  ".repeat(deep)))
}
