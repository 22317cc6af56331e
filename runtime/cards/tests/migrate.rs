//! YAML of workflow folders becomes JSON.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod folder;

use std::fs;
use std::path::Path;

use folder::folder_below;
use onionskin_cards::{Migration, Workflow, migrate};
use proptest::prelude::*;
use tempfile::TempDir;

const FOLDER: &str = "workflows/Generator";

fn folder(files: &[(&str, &str)]) -> TempDir {
    folder_below(FOLDER, files.iter().copied())
}

fn migration(folder: &TempDir) -> Migration {
    migrate(folder.path(), Path::new(FOLDER)).unwrap()
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(FOLDER).join(name)).unwrap()
}

fn names(folder: &TempDir) -> Vec<String> {
    let files = fs::read_dir(folder.path().join(FOLDER)).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const TOOLS: &str = "# Tools of the generator.
ui_tools:
  Writer:
    - path: tools.request_api_key.request_api_key   # asks
      component: AgentAPIKeyInput
      mode: inline
      description: \"Request a key: # 1\"
agent_tools:
  ALL_AGENTS: [{ path: tools.echo_all.echo, description: \"one\\ntwo\" }]
";

const AGENTS: &str = "Writer:
  instruction: |
    Write.
    # This is text.
  request_params: { temperature: 0.5, max_tokens: 100, extra_body: { a: [1, null, yes, true, \"3\", 1e3], é: ~ } }
  limits: { turns: 3 }
";

#[test]
fn c4_yaml_becomes_json_that_says_the_same_in_the_same_order() {
    let folder = folder(&[
        ("orchestrator.json", "{ \"start_agent\": \"Writer\" }"),
        ("agents.yml", AGENTS),
        ("tools.yaml", TOOLS),
        ("hooks.yaml", "# none yet\n"),
    ]);
    let before = Workflow::read(folder.path(), Path::new(FOLDER)).unwrap();
    let migration = migration(&folder);
    assert_eq!(
        names(&folder),
        ["agents.yml", "hooks.yaml", "orchestrator.json", "tools.yaml"],
        "nothing is written"
    );
    migration.write().unwrap();
    assert_eq!(
        text(&folder, "tools.json"),
        r#"{
  "ui_tools": {
    "Writer": [
      {
        "path": "tools.request_api_key.request_api_key",
        "component": "AgentAPIKeyInput",
        "mode": "inline",
        "description": "Request a key: # 1"
      }
    ]
  },
  "agent_tools": {
    "ALL_AGENTS": [
      {
        "path": "tools.echo_all.echo",
        "description": "one\ntwo"
      }
    ]
  }
}
"#
    );
    assert_eq!(text(&folder, "hooks.json"), "[]\n");
    let comments: Vec<_> = migration.files.iter().map(|file| (&*file.json_name, file.comments)).collect();
    assert_eq!(
        comments,
        [
            ("workflows/Generator/agents.json", 0),
            ("workflows/Generator/tools.json", 2),
            ("workflows/Generator/hooks.json", 1)
        ]
    );
    migration.remove_yaml().unwrap();
    assert_eq!(names(&folder), ["agents.json", "hooks.json", "orchestrator.json", "tools.json"]);
    let after = Workflow::read(folder.path(), Path::new(FOLDER)).unwrap();
    assert!(after.warnings.is_empty());
    assert_eq!(said(&before), said(&after));
}

/// What a workflow says, without places.
fn said(workflow: &Workflow) -> String {
    let cards = workflow.deck.cards.iter().map(|card| {
        let params: Vec<_> =
            card.request_params.iter().map(|(key, value)| (key.value.to_string(), &value.value)).collect();
        let limits: Vec<_> =
            card.limits.iter().map(|(key, value)| (key.value.to_string(), &value.value)).collect();
        let tools: Vec<_> = card
            .tool_uses
            .iter()
            .map(|tool| (tool.item.value.to_string(), tool.description.as_ref().map(|text| &*text.value)))
            .collect();
        let instruction =
            card.text(onionskin_vocabulary::agent::TextField::Instructions).map(|text| match text {
                onionskin_cards::Text::Template(text) => text.value.clone(),
                onionskin_cards::Text::Function(item) => item.value.to_string(),
            });
        format!("{} {instruction:?} {params:?} {limits:?} {tools:?}", card.name.value)
    });
    cards.collect::<Vec<_>>().join("\n")
}

#[test]
fn c4_json_that_is_there_is_never_replaced() {
    let folder =
        folder(&[("tools.json", "{}"), ("tools.yaml", TOOLS), ("hooks.yaml", "[]"), ("hooks.yml", "[]")]);
    let migration = migration(&folder);
    assert_eq!(migration.files.len(), 1);
    assert_eq!(
        migration.left,
        [
            (
                "workflows/Generator/tools.yaml".to_owned(),
                "`tools.json` counts, and this file beside it does not".to_owned()
            ),
            (
                "workflows/Generator/hooks.yml".to_owned(),
                "`hooks.yaml` counts, and this file beside it does not".to_owned()
            ),
        ]
    );
    fs::write(folder.path().join(FOLDER).join("hooks.json"), "[1]").unwrap();
    let error = migration.write().unwrap_err().to_string();
    assert!(error.starts_with("workflows/Generator/hooks.json: "), "{error}");
    assert_eq!(text(&folder, "hooks.json"), "[1]");
    assert!(migration.remove_yaml().unwrap_err().to_string().contains("its JSON is another one"));
    assert_eq!(names(&folder), ["hooks.json", "hooks.yaml", "hooks.yml", "tools.json", "tools.yaml"]);
}

#[test]
fn c4_yaml_whose_json_says_the_same_is_removed_later() {
    let folder = folder(&[("hooks.yaml", "[] # none"), ("tools.yaml", TOOLS), ("agents.yaml", AGENTS)]);
    migration(&folder).write().unwrap();
    let same = text(&folder, "tools.json").replace('\n', " ");
    let at = |name: &str| folder.path().join(FOLDER).join(name);
    fs::write(at("tools.json"), &same).unwrap();
    fs::write(at("agents.json"), "{}").unwrap();
    let migration = migration(&folder);
    let names_of =
        |files: &[onionskin_cards::Migrated]| files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
    assert!(migration.files.is_empty());
    assert_eq!(
        names_of(&migration.written),
        ["workflows/Generator/tools.yaml", "workflows/Generator/hooks.yaml"]
    );
    let pair = ["workflows/Generator/agents.yaml", "workflows/Generator/agents.json"].map(str::to_owned);
    assert_eq!(migration.different, [pair.into()]);
    migration.write().unwrap();
    migration.remove_yaml().unwrap();
    assert_eq!(names(&folder), ["agents.json", "agents.yaml", "hooks.json", "tools.json"]);
    assert_eq!(text(&folder, "tools.json"), same);
}

#[test]
fn c4_yaml_that_changed_meanwhile_is_not_removed() {
    let folder = folder(&[("hooks.yaml", "[]")]);
    let migration = migration(&folder);
    migration.write().unwrap();
    fs::write(folder.path().join(FOLDER).join("hooks.yaml"), "[] # new").unwrap();
    assert!(migration.remove_yaml().unwrap_err().to_string().contains("changed after it was read"));
    assert_eq!(names(&folder), ["hooks.json", "hooks.yaml"]);
}

#[test]
fn c4_wrong_yaml_and_a_missing_folder_have_places() {
    let folder = folder(&[("tools.yaml", "agent_tools: [\n"), ("agents.yaml", "Writer: &a 1\nReader: *a\n")]);
    let error = migrate(folder.path(), Path::new(FOLDER)).unwrap_err().to_string();
    assert!(error.contains("workflows/Generator/tools.yaml:"), "{error}");
    assert!(error.contains("workflows/Generator/agents.yaml:2:9"), "{error}");
    assert_eq!(names(&folder), ["agents.yaml", "tools.yaml"]);
    let error = migrate(folder.path(), Path::new("workflows/Other")).unwrap_err().to_string();
    assert!(error.contains("there is no such folder") && error.contains("--> workflows/Other"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c4_json_of_any_yaml_is_json_and_says_the_same(
        lines in prop::collection::vec("( {0,4})[a-z]{1,3}: ?(\\[[a-z0-9, ]{0,8}\\]|\\{ ?[a-z]: [0-9.]{1,4} ?\\}|[ -~é]{0,10}|)", 0..8),
    ) {
        let yaml = lines.join("\n");
        let folder = folder(&[("tools.yaml", &yaml)]);
        if let Ok(migration) = migrate(folder.path(), Path::new(FOLDER)) {
            let json = &migration.files[0].json;
            prop_assert!(serde_json::from_str::<serde_json::Value>(json).is_ok(), "{}", json);
            // JSON is YAML: the reader finds in both the same.
            let again = self::folder(&[("tools.yaml", json)]);
            let twice = self::migration(&again);
            prop_assert_eq!(json, &twice.files[0].json);
        }
    }
}
