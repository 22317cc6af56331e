//! The tools in agents.

use onionskin::declaration::AgentDeclaration;
use onionskin::definition::ToolSource;
use onionskin::{Agent, BuildError, Effect, ScriptedModel, ScriptedTurn, agent};

use super::*;

agent! {
    Writer {
        instruction: "Write.",
        runtime: [filesystem.read, filesystem.write, filesystem.list, filesystem.edit, filesystem.search],
    }
    Reader { instruction: "Read.", runtime: [filesystem.read, filesystem.list, filesystem.search] }
    Plain { instruction: "Talk." }
}

#[tokio::test]
async fn a6_an_agent_has_the_tools_that_it_names_in_the_folder_of_the_program() {
    let place = Place::new();
    let model = ScriptedModel::turns([
        ScriptedTurn::call("filesystem_write", json!({ "path": "a.txt", "text": "one" })),
        ScriptedTurn::call("filesystem_edit", json!({ "path": "a.txt", "old": "one", "new": "two" })),
        ScriptedTurn::call("filesystem_read", json!({ "path": "a.txt" })),
        ScriptedTurn::say("{last}"),
    ]);
    let writer = Writer::builder().model(model).provide(place.filesystem.clone()).build().await.unwrap();
    let output = writer.run("go").await.unwrap();
    assert_eq!(output.text, "two");
    assert_eq!(output.tool_calls[0].source, Some(ToolSource::Runtime));
    let reader = Reader::builder().model(ScriptedModel::new()).build().await.unwrap();
    assert_eq!(reader.tool_names().unwrap(), ["filesystem.read", "filesystem.list", "filesystem.search"]);
    let plain = Plain::builder().model(ScriptedModel::new()).provide(place.filesystem.clone()).build().await;
    assert!(matches!(plain.unwrap_err(), BuildError::UnusedService { .. }));
}

#[tokio::test]
async fn a6_without_a_folder_of_the_program_it_is_the_working_directory() {
    let call = ScriptedTurn::call("filesystem_read", json!({ "path": "Cargo.toml", "lines": 2 }));
    let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
    let output = Reader::builder().model(model).run("go").await.unwrap();
    assert!(output.text.starts_with("[package]\nname = \"onionskin\"\n"), "{}", output.text);
}

struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "ByHand";
    type State = ();

    fn declare() -> AgentDeclaration {
        let sources = Filesystem::at("src").unwrap();
        AgentDeclaration::new()
            .instruction("Read.")
            .runtime_tool(sources.read_tool())
            .runtime_tool(sources.list_tool())
    }
}

#[tokio::test]
async fn a6_an_agent_by_hand_has_tools_with_a_folder_of_their_own() {
    let model =
        ScriptedModel::turns([ScriptedTurn::call("filesystem_list", json!({})), ScriptedTurn::say("{last}")]);
    let output = ByHand::builder().model(model).run("go").await.unwrap();
    assert_eq!(output.text, "features.rs\nlib.rs\nprogram.rs");
}

#[test]
fn a6_each_tool_says_what_a_repetition_does() {
    let place = Place::new();
    let effects = |tool: &dyn DynTool| {
        let definition = tool.definition();
        let hints = definition.annotations;
        assert_eq!(hints.open_world, Some(false));
        assert_eq!(definition.timeout, Some(Duration::from_secs(30)));
        (definition.effect, hints.read_only, hints.destructive)
    };
    for tool in [&place.read_tool() as &dyn DynTool, &place.list_tool(), &place.search_tool()] {
        assert_eq!(effects(tool), (Effect::Pure, Some(true), None));
    }
    assert_eq!(effects(&place.write_tool()), (Effect::Idempotent, Some(false), Some(true)));
    assert_eq!(effects(&place.edit_tool()), (Effect::Once, Some(false), Some(true)));
}

#[tokio::test]
async fn a6_wrong_arguments_of_file_tools_are_all_named_and_nothing_runs() {
    let place = Place::new();
    let result = place.call("write", json!({ "pth": "a", "text": 3 })).await;
    let Err(Exit::Tool(error)) = result else { panic!("{result:?}") };
    assert_eq!(error.kind(), ErrorKind::Arguments);
    for wrong in ["pth", "`path`", "`text`"] {
        assert!(error.to_text().contains(wrong), "{error}");
    }
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn a6_a_folder_that_does_not_exist_is_an_error_of_the_program() {
    let error = Filesystem::at("no/such/folder").unwrap_err().to_string();
    assert!(
        error.starts_with("cannot open the folder `no/such/folder` for the tools `filesystem.*`: "),
        "{error}"
    );
    let error = Filesystem::at("Cargo.toml").unwrap_err().to_string();
    assert!(error.contains("Not a directory"), "{error}");
}
