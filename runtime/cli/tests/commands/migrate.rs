//! `migrate`.

use crate::folder::Folder;

const TOOLS: &str = "agent_tools: # of agents\n  ALL_AGENTS:\n    - path: tools.echo_all.echo\n";

fn workflow() -> Folder {
    Folder::new(&[
        ("workflows/Generator/orchestrator.json", "{ \"start_agent\": \"Writer\" }"),
        ("workflows/Generator/agents.yaml", "Writer: { instruction: Write. }\n"),
        ("workflows/Generator/tools.yaml", TOOLS),
        ("workflows/Generator/orchestrator.yml", "{}\n"),
    ])
}

#[test]
fn c4_migrate_writes_json_beside_yaml() {
    let folder = workflow();
    let ran = folder.run(&["migrate", "--check", "workflows/Generator"]);
    let files = "workflows/Generator/agents.yaml -> workflows/Generator/agents.json\n\
                 workflows/Generator/tools.yaml -> workflows/Generator/tools.json\n";
    assert_eq!((ran.code, &*ran.out), (1, files), "{ran:?}");
    assert!(ran.words.ends_with("2 files to write\n"), "{ran:?}");
    assert!(!folder.path("workflows/Generator/tools.json").exists());

    let ran = folder.run(&["migrate", "workflows/Generator"]);
    assert_eq!((ran.code, &*ran.out), (0, files));
    assert_eq!(
        ran.words,
        "note: workflows/Generator/tools.yaml: 1 line with comments, which JSON cannot hold\n\
         note: workflows/Generator/orchestrator.yml: `orchestrator.json` counts, and this file beside it does not\n\
         2 files written\n"
    );
    assert!(folder.read("workflows/Generator/tools.json").starts_with("{\n  \"agent_tools\": {\n"));
    assert_eq!(folder.read("workflows/Generator/tools.yaml"), TOOLS);
    let ran = folder.run(&["migrate", "--check", "workflows/Generator"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{ran:?}");
}

#[test]
fn c4_migrate_removes_yaml_on_request() {
    let folder = workflow();
    folder.write("workflows/Generator/orchestrator.yml", "start_agent: Writer\n");
    let ran = folder.run(&["migrate", "--remove-yaml", "workflows/Generator"]);
    assert!(ran.code == 0 && ran.words.ends_with("2 files written, 3 removed\n"), "{ran:?}");
    for name in ["tools.yaml", "agents.yaml", "orchestrator.yml"] {
        assert!(!folder.path(&format!("workflows/Generator/{name}")).exists(), "{name}");
    }
    let ran = folder.run(&["check", "workflows/Generator"]);
    assert!(!ran.words.contains("beside it"), "{ran:?}");
}

#[test]
fn c4_migrate_removes_yaml_after_a_look_at_the_json() {
    let folder = workflow();
    folder.write("workflows/Generator/orchestrator.yml", "start_agent: Writer\n");
    folder.run(&["migrate", "workflows/Generator"]);
    let ran = folder.run(&["migrate", "workflows/Generator"]);
    let note = "note: workflows/Generator/tools.yaml: `workflows/Generator/tools.json` says the same; `--remove-yaml` removes the YAML\n";
    assert!(ran.code == 0 && ran.words.contains(note), "{ran:?}");
    let ran = folder.run(&["migrate", "--remove-yaml", "workflows/Generator"]);
    assert_eq!((ran.code, &*ran.words), (0, "0 files written, 3 removed\n"), "{ran:?}");
    assert!(!folder.path("workflows/Generator/tools.yaml").exists());
}

#[test]
fn c4_migrate_keeps_yaml_that_differs_from_its_json() {
    let folder = workflow();
    let ran = folder.run(&["migrate", "--remove-yaml", "workflows/Generator"]);
    ran.failed(&[
        "error: `workflows/Generator/orchestrator.yml` and `workflows/Generator/orchestrator.json` beside it differ, and the JSON counts: remove one of them yourself",
    ]);
    assert!(folder.path("workflows/Generator/tools.yaml").exists());
    assert!(!folder.path("workflows/Generator/tools.json").exists(), "nothing is written");
    // Without the option, it is noted alone.
    let ran = folder.run(&["migrate", "workflows/Generator"]);
    assert!(ran.code == 0 && ran.words.contains("`orchestrator.json` counts"), "{ran:?}");
}

#[test]
fn c4_migrate_writes_nothing_if_a_folder_is_wrong() {
    let folder = workflow();
    folder.write("workflows/Wrong/hooks.yaml", "- [\n");
    let ran = folder.run(&["migrate", "workflows/Generator", "workflows/Wrong", "workflows/Nothing"]);
    ran.failed(&["workflows/Wrong/hooks.yaml:", "there is no such folder"]);
    assert!(!folder.path("workflows/Generator/tools.json").exists());
    folder.run(&["migrate"]).failed(&["FOLDER"]);
    folder.run(&["migrate", "--check", "--remove-yaml", "x"]).failed(&["cannot be used with"]);
}

#[test]
fn c4_migrate_names_a_folder_that_is_no_workflow() {
    let folder = workflow();
    folder.write("workflows/notes/a.txt", "A.");
    for arguments in [&["migrate"][..], &["migrate", "--check"]] {
        let ran = folder.run(&[arguments, &["workflows/Generator", "workflows/notes"]].concat());
        ran.failed(&["workflows/notes", "the folder has no files of a workflow"]);
        assert!(!folder.path("workflows/Generator/tools.json").exists());
    }
    let ran = folder.run(&["migrate", "workflows/Generator", "./workflows/Generator"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.words.ends_with("2 files written\n"), "{ran:?}");
}
