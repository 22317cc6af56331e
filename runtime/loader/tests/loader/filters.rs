//! Filters of hooks whose words could name several items.

use onionskin::loader::{CardLoader, DumpError, Registry};
use onionskin::{App, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

use super::parts::more;
use super::{folder, load, run};

mod a {
    use super::tool;

    /// Gives a number.
    #[tool(name = "run_a")]
    pub(crate) fn run(x: i64) -> i64 {
        x
    }
}

mod b {
    use super::tool;

    /// Gives a number.
    #[tool(name = "run_b")]
    pub(crate) fn run(x: i64) -> i64 {
        x
    }
}

/// Says a number.
#[tool]
fn echo(x: i64) -> i64 {
    x
}

agent! {
    SeesB { name: "desk", instruction: "Run.", function_tools: [a::run, b::run], tool_hooks: [more for [b::run]] }
    SeesTool { name: "desk", instruction: "Run.", function_tools: [echo], agents: [Echo], tool_hooks: [more for [echo]] }
    SeesChild { name: "desk", instruction: "Run.", function_tools: [echo], agents: [Echo], tool_hooks: [more except [Echo]] }
    Echo { name: "echo", description: "Says.", instruction: "Say." }
    SeesNone { name: "desk", instruction: "Run.", tool_hooks: [more except [tool("a b")]] }
}

fn registry() -> Registry {
    Registry::new()
        .file("a.rs", |items| items.tool::<a::run>())
        .file("b.rs", |items| items.tool::<b::run>())
        .file("tools.rs", |items| items.tool::<echo>())
        .module("crate::hooks", |items| items.tool_hook::<more>())
}

/// What the tools of a card with this filter give for 1; one that the hook sees gives 2.
async fn results(filter: &str) -> [String; 2] {
    let card = format!(
        "instruction: Run.\nfunction_tools: [a.rs:run, b.rs:run]\ntool_hooks: [{{ hook: \"crate::hooks::more\", {filter} }}]\n"
    );
    let cards = load(registry(), &[("desk.yaml", &card)]).unwrap();
    let mut texts = Vec::new();
    for tool in ["run_a", "run_b"] {
        let turns = [ScriptedTurn::call(tool, json!({ "x": 1 })), ScriptedTurn::say("{last}")];
        texts.push(run(&cards, ScriptedModel::turns(turns), "Go.").await.text);
    }
    texts.try_into().unwrap()
}

#[tokio::test]
async fn h2_a_filter_names_one_of_two_items_as_its_list_has_it() {
    assert_eq!(results("for: [a.rs:run]").await, ["2", "1"]);
    assert_eq!(results("for: [b.rs:run]").await, ["1", "2"]);
    assert_eq!(results("for: [tool(run_b)]").await, ["1", "2"]);
    assert_eq!(results("except: [b.rs:run]").await, ["2", "1"]);
    assert_eq!(results("for: [a.rs:run, b.rs:run]").await, ["2", "2"]);
}

#[test]
fn c3_a_dumped_filter_names_the_item_that_it_named() {
    for (dumped, filter) in [
        (registry().dump::<SeesB>(), "for: [\"b.rs:run\"]"),
        (registry().dump::<SeesTool>(), "for: [\"tools.rs:echo\"]"),
        (registry().dump::<SeesChild>(), "except: [\"tool(agent__echo)\"]"),
    ] {
        let dumped = dumped.unwrap();
        assert!(dumped[0].text.contains(filter), "{}", dumped[0].text);
        let files: Vec<(&str, &str)> = dumped.iter().map(|card| (&*card.file, &*card.text)).collect();
        let folder = folder(&files);
        let loader = CardLoader::new(registry()).base(folder.path());
        assert_eq!(loader.load(files.iter().map(|(file, _)| *file)).unwrap().dump(), dumped);
    }
    assert!(matches!(registry().dump::<SeesNone>(), Err(DumpError::Code { .. })));
}

#[tokio::test]
async fn c3_a_dumped_filter_of_a_child_is_a_tool_of_the_built_agent() {
    let dumped = registry().dump::<SeesChild>().unwrap();
    let files: Vec<(&str, &str)> = dumped.iter().map(|card| (&*card.file, &*card.text)).collect();
    let cards = load(registry(), &files).unwrap();
    cards.add_to(App::builder()).entry("desk").model(ScriptedModel::turns([])).build().await.unwrap();
}
