//! Cards and what they name, as a program loads them.

use std::fs;

use onionskin::loader::{CardLoader, LoadError, LoadedCards, MistakeKind, Registry};
use onionskin::{App, ScriptedModel, tool};
use serde_json::Value;
use tempfile::TempDir;

/// Add one to x.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// A folder with a card and its files, and what loading the card gives.
fn load(card: (&str, &str), files: &[(&str, &str)]) -> Result<LoadedCards, LoadError> {
    let folder = TempDir::new().unwrap();
    for (name, text) in files.iter().chain([&card]) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let registry = Registry::new().file("tools.rs", |items| items.tool::<add_one>());
    CardLoader::new(registry).base(folder.path()).load([card.0])
}

/// The only mistake of a card: its kind, and its line.
fn mistake(card: (&str, &str), files: &[(&str, &str)]) -> (MistakeKind, String) {
    let error = load(card, files).unwrap_err();
    let [mistake] = error.mistakes() else { panic!("{error}") };
    (mistake.kind, mistake.to_string())
}

pub async fn wrong_arity(case: Value) {
    assert_eq!(case["expect"]["load"], "error");
    let given = case["given"]["card_tool_hook"].as_str().unwrap();
    // The third parameter is a function of the language here.
    assert!(given.starts_with("async fn(ctx, args, call_next) where (ctx)"), "{given}");
    let card = ("a.yaml", "instruction: A.\ntool_hooks: [hooks.rhai:audit]\n");
    for parameters in ["ctx", "ctx, args, call_next"] {
        let script = format!("fn audit({parameters}) {{ 1 }}\n");
        let (kind, line) = mistake(card, &[("hooks.rhai", &script)]);
        assert_eq!(kind, MistakeKind::Script);
        assert!(line.contains("a.yaml:2:14: ") && line.contains("hooks.rhai:1:"), "{line}");
        assert!(line.contains("`fn audit(ctx, args)`"), "{line}");
    }
}

pub async fn item_of_a_file(case: Value) {
    let (file, name) = case["given"]["spec"].as_str().unwrap().split_once(':').unwrap();
    let card = |file: &str| format!("instruction: A.\nfunction_tools: [{file}:{name}]\n");
    let (kind, line) = mistake(("a.yaml", &card(file)), &[]);
    assert_eq!(kind, MistakeKind::Format);
    assert!(line.contains("is Python"), "{line}");

    let cards = load(("a.yaml", &card("tools.rs")), &[]).unwrap();
    let app = cards.add_to(App::builder()).model(ScriptedModel::turns([])).build().await.unwrap();
    let agents = app.describe().unwrap().agents;
    let [tool] = agents[0].tools.as_slice() else { panic!("{agents:?}") };
    assert_eq!(tool.name, case["expect"]["name"]);
    assert_eq!(tool.description, case["expect"]["description"]);
}

pub async fn defaults(case: Value) {
    assert_eq!((&case["given"]["type"], &case["given"]["name"]), (&"absent".into(), &"absent".into()));
    assert_eq!(case["expect"]["name"], "file stem");
    for text in
        ["instruction: A.\n".to_owned(), format!("type: {}\ninstruction: A.\n", case["expect"]["type"])]
    {
        let cards = load(("clerk.yaml", &text), &[]).unwrap();
        assert_eq!(cards.names().collect::<Vec<_>>(), ["clerk"]);
    }
}

pub async fn unknown_field(case: Value) {
    let (field, value) = case["given"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(case["expect"]["names"], *field);
    let (kind, line) = mistake(("a.yaml", &format!("instruction: A.\n{field}: {value}\n")), &[]);
    assert_eq!(kind, MistakeKind::Format);
    assert!(line.starts_with(&format!("a.yaml:2:1: unknown field `{field}`")), "{line}");
}

pub async fn no_front_matter(case: Value) {
    assert_eq!(case["expect"]["error"], "missing frontmatter");
    let (kind, line) = mistake(("a.md", case["given"].as_str().unwrap()), &[]);
    assert_eq!(kind, MistakeKind::Format);
    assert!(line.starts_with("a.md:1:1: the front matter is missing"), "{line}");
}

/// Cards of other types than agents are refused by their type, before what these would require.
pub async fn another_type(case: Value) {
    let kind = case["given"]["type"].as_str().unwrap();
    let (mistake, line) = mistake(("a.yaml", &format!("type: {kind}\ninstruction: A.\n")), &[]);
    assert_eq!(mistake, MistakeKind::Format);
    assert!(line.starts_with("a.yaml:1:7: ") && line.contains(&format!("`{kind}`")), "{line}");
}

/// Hooks around tool calls are a list, and hooks around turns are a map.
pub async fn list_of_hooks(case: Value) {
    let [hook] = case["given"]["tool_hooks"].as_array().unwrap().as_slice() else { panic!("{case}") };
    let hook = hook.as_str().unwrap().replace(".py:", ".rhai:");
    let script = ("hooks.rhai", "fn audit_hook(ctx, args) { call_next(args) }\n");
    let card = format!("instruction: A.\ntool_hooks: [{hook}]\n");
    assert_eq!(case["expect"]["seed_000"], "list of middleware");
    assert_eq!(load(("a.yaml", &card), &[script]).unwrap().agents().len(), 1);

    let keys = case["expect"]["fast_agent"].as_str().unwrap();
    let keys = keys.strip_prefix("map of ").and_then(|rest| rest.strip_suffix(" to spec")).unwrap();
    for key in keys.split('|') {
        let card = format!("instruction: A.\nturn_hooks: {{ {key}: hooks.rs:gone }}\n");
        assert_eq!(
            mistake(("a.yaml", &card), &[]).0,
            MistakeKind::MissingFile,
            "{key} is a place of turn hooks"
        );
    }
}

pub async fn unknown_hook_key(case: Value) {
    assert_eq!(case["expect"]["card_load"], "error");
    let (key, _) = case["given"]["tool_hooks"].as_object().unwrap().iter().next().unwrap();
    for field in ["tool_hooks", "turn_hooks"] {
        let card = format!("instruction: A.\n{field}: {{ {key}: hooks.rs:y }}\n");
        let (kind, line) = mistake(("a.yaml", &card), &[]);
        assert_eq!(kind, MistakeKind::Format);
        assert!(line.starts_with("a.yaml:2:"), "{line}");
    }
}
