//! Commands with `--workflow`.

use onionskin::ScriptedModel;
use onionskin::loader::{CardLoader, Registry};
use serde_json::{Value, json};

use crate::folder::{Folder, Ran};

const SCRIPT: (&str, &str) = (
    "script.yaml",
    r#"
Reception:
  - calls: [{ tool: add_one, args: { x: 41 } }]
  - calls: [{ tool: agent__Clerk, args: { input: "Note." } }]
  - say: "{input} DONE, says the clerk: {last}"
Clerk:
  - calls: [{ tool: add_one, args: { x: 1 } }]
  - say: "{input} {last}"
"#,
);

/// A workflow whose tool is a script, with a model that is a script too.
fn intake() -> Folder {
    Folder::new(&[
        SCRIPT,
        (
            "workflows/Intake/orchestrator.json",
            r#"{ "start_agent": "Reception", "initial_message": "Good morning.", "termination": "DONE" }"#,
        ),
        (
            "workflows/Intake/agents.json",
            r#"{
  "Clerk": { "description": "Takes notes.", "instruction": "Take notes." },
  "Reception": { "instruction": "Welcome the customer.", "agents": ["Clerk"] }
}"#,
        ),
        (
            "workflows/Intake/tools.json",
            r#"{ "agent_tools": { "ALL_AGENTS": [{ "path": "tools.add_one.add_one" }] } }"#,
        ),
        (
            "workflows/Intake/tools/add_one.rhai",
            "/// Adds one to a number.\n/// Args:\n///     x (int): The number.\nfn add_one(x) {\n    x + 1\n}\n",
        ),
    ])
}

const RUN: [&str; 5] = ["run", "--workflow", "workflows/Intake", "--model", "script:script.yaml"];

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(&[&RUN, arguments].concat())
}

#[tokio::test]
async fn c4_run_gives_what_the_loaded_workflow_gives() {
    let folder = intake();
    let model = || ScriptedModel::from_yaml_file(folder.path("script.yaml")).unwrap();
    let workflow =
        CardLoader::new(Registry::new()).base(folder.path("")).load_workflow("workflows/Intake").unwrap();
    let begun = workflow.builder().model(model()).begin().await.unwrap();
    let asked = workflow.builder().model(model()).run("Hello.").await.unwrap();
    let told = workflow.builder().entry("Clerk").model(model()).run("Hello.").await.unwrap();
    assert_eq!((&*begun.text, &*told.text), ("Good morning. DONE, says the clerk: Note. 2", "Hello. 2"));

    // Nothing is on standard input, so the workflow says what it begins with.
    let ran = run(&folder, &[]);
    assert_eq!((ran.code, &*ran.out, &*ran.words), (0, &*format!("{}\n", begun.text), ""));
    let ran = run(&folder, &["Hello."]);
    assert_eq!((ran.code, &*ran.out), (0, &*format!("{}\n", asked.text)), "{ran:?}");
    let ran = run(&folder, &["--agent", "Clerk", "Hello."]);
    assert_eq!((ran.code, &*ran.out), (0, &*format!("{}\n", told.text)), "{ran:?}");
    assert_eq!(run(&folder, &["--agent", "Clerk"]).out, "Good morning. 2\n");
}

#[test]
fn c4_the_input_wins_over_the_initial_message() {
    let folder = intake();
    let input = |ran: &Ran| {
        let first: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
        first["kind"]["input"].clone()
    };
    let arguments = [&RUN[..], &["--json"]].concat();
    assert_eq!(input(&folder.run(&arguments)), "Good morning.");
    assert_eq!(input(&folder.pipe(b"", &arguments)), "Good morning.");
    assert_eq!(input(&folder.pipe(b"piped\n", &arguments)), "piped");
    assert_eq!(input(&folder.pipe(b"piped", &[&arguments[..], &["written"]].concat())), "written");
    // A text that is empty is a mistake of the program that writes it.
    folder.pipe(b"\n", &arguments).failed(&["error: the input is empty"]);
    folder.pipe(b"", &[&arguments[..], &["-"]].concat()).failed(&["error: the input is empty"]);
    folder.write("workflows/Intake/orchestrator.json", r#"{ "start_agent": "Reception" }"#);
    folder.run(&arguments).failed(&[
        "error: there is no input: write it behind the options, or pipe it to the program, or give the workflow an `initial_message`",
    ]);
}

#[test]
fn c4_commands_show_the_agents_of_a_workflow() {
    let folder = intake();
    let shown = |arguments: &[&str]| {
        let ran = folder.run(&[arguments, &["--workflow", "workflows/Intake"]].concat());
        assert_eq!((ran.code, &*ran.words), (0, ""), "{arguments:?}");
        ran.out
    };
    let expected = "\
Reception
  agent__Clerk  agent     Takes notes.
  add_one       function  Adds one to a number.

Clerk: Takes notes.
  add_one  function  Adds one to a number.
";
    assert_eq!(shown(&["list"]), expected);
    let schema: Value = serde_json::from_str(&shown(&["schema", "add_one"])).unwrap();
    assert_eq!(schema["inputSchema"]["required"], json!(["x"]));
    let docs = shown(&["docs"]);
    let graph = shown(&["graph"]);
    assert!(graph.starts_with("graph TD\n") && graph.contains("Reception"), "{graph}");
    assert!(docs.contains(graph.trim()), "{docs}");
    // The folder itself is the working directory.
    let mut command = folder.command(&["list", "--workflow", "."]);
    let ran = Ran::new(command.current_dir(folder.path("workflows/Intake")).output().unwrap());
    assert_eq!((ran.code, &*ran.out), (0, expected), "{ran:?}");
}

#[test]
fn c4_mistakes_of_a_workflow_have_their_places() {
    let folder = intake();
    folder.write(
        "workflows/Intake/tools.json",
        "{\n  \"agent_tools\": { \"Clrk\": [{ \"path\": \"tools.add_one.add_oen\" }] }\n}",
    );
    folder.write("workflows/Intake/orchestrator.json", "{\n  \"start_agent\": \"Recepton\"\n}");
    for command in [&["run"][..], &["chat"], &["list"], &["schema"], &["docs"], &["graph"]] {
        folder.run(&[command, &["--workflow", "workflows/Intake"]].concat()).failed(&[
            "unknown agent `Clrk`; did you mean `Clerk`?\n --> workflows/Intake/tools.json:2:20",
            "--> workflows/Intake/orchestrator.json:2:18",
        ]);
    }
    let folder = intake();
    for (path, part) in [
        ("workflows", "the folder has no `orchestrator.json`, and no `workflow.json`\n--> workflows\n"),
        ("no", "there is no such folder: a workflow is a folder with `orchestrator.json`"),
        ("workflows/Intake/agents.json", "there is no such folder: a workflow is a folder with"),
    ] {
        folder.run(&["list", "--workflow", path]).failed(&[part]);
    }
    run(&folder, &["--agent", "Clrk", "Hello."]).failed(&["there is no agent `Clrk`; did you mean `Clerk`?"]);
}

#[test]
fn c4_a_workflow_comes_alone() {
    let folder = intake();
    folder.write("cards/a.md", "---\n{}\n---\nBe.\n");
    for command in ["run", "chat", "list", "schema", "docs", "graph"] {
        folder
            .run(&[command, "--workflow", "workflows/Intake", "--card", "cards"])
            .failed(&["'--workflow <DIR>' cannot be used with '--card <PATH>'"]);
        folder
            .run(&[command, "--workflow", "workflows/Intake", "--workflow", "workflows/Intake"])
            .failed(&["'--workflow <DIR>' cannot be used multiple times"]);
        let help = folder.run(&[command, "--help"]).out;
        let example = help.split("Examples:").nth(1).unwrap();
        assert!(example.contains(&format!("onionskin {command} --workflow workflows/Intake")), "{help}");
        assert!(folder.run(&[command, "-h"]).out.contains("--workflow <DIR>"), "{command}");
    }
}

#[test]
fn c4_warnings_of_a_workflow_are_shown_beside_the_result() {
    let folder = intake();
    let old = folder.read("workflows/Intake/orchestrator.json");
    std::fs::remove_file(folder.path("workflows/Intake/orchestrator.json")).unwrap();
    folder.write("workflows/Intake/orchestrator.yaml", &old);
    let ran = run(&folder, &[]);
    assert_eq!((ran.code, &*ran.out), (0, "Good morning. DONE, says the clerk: Note. 2\n"), "{ran:?}");
    assert_eq!(
        ran.words,
        "warning: workflows/Intake/orchestrator.yaml:1:1: YAML is the old form of this file: `onionskin migrate` writes `orchestrator.json`\n"
    );
}

#[test]
fn c4_rust_in_a_workflow_needs_a_program() {
    let folder = intake();
    std::fs::remove_file(folder.path("workflows/Intake/tools/add_one.rhai")).unwrap();
    folder.write("workflows/Intake/tools/add_one.rs", "");
    run(&folder, &["Hello."]).failed(&[
        "add_one` is Rust: it needs a program of yours that has it, with `onionskin::main! { registry: .. }`",
        "--> workflows/Intake/tools.json:1:",
    ]);
}

#[test]
fn c4_a_workflow_that_is_named_as_a_card_is_named_with_the_right_option() {
    let folder = intake();
    // It would be a card.
    folder.write("workflows/Intake/README.md", "Welcomes customers.\n");
    let old =
        |name: &str| (format!("old/{name}.yaml"), folder.read(&format!("workflows/Intake/{name}.json")));
    for (name, text) in ["orchestrator", "agents"].map(old) {
        folder.write(&name, &text);
    }
    folder.write("broken/workflow.json", "{");
    for command in ["run", "chat", "list", "schema", "docs", "graph"] {
        for path in ["workflows/Intake", "old", "broken"] {
            folder.run(&[command, "--card", path]).failed(&[&format!(
                "error: `{path}` is a workflow folder: name it with `--workflow {path}`\n"
            )]);
        }
    }
    // A card of that name is a card.
    folder.write("cards/orchestrator.yaml", "instruction: Lead.\n");
    folder.write("cards/workflow.yaml", "instruction: Work.\n");
    assert_eq!(folder.run(&["list", "--card", "cards"]).out, "orchestrator\n\nworkflow\n");
}

/// The folder of the guide, with scripts in place of Rust.
#[test]
fn c4_the_folder_of_the_guide_runs_without_rust() {
    let page = include_str!("../../../../docs/book/src/guides/workflows.md");
    let (_, scripts) = page.split_once("## Workflows in scripts").unwrap();
    let blocks: Vec<&str> = scripts.split("```").skip(1).step_by(2).collect();
    let mut files: Vec<(String, String)> = Vec::new();
    for block in blocks {
        let (first, text) = block.split_once('\n').unwrap().1.split_once('\n').unwrap();
        if let Some(name) = first.strip_prefix("// ") {
            files.push((format!("workflows/Generator/{name}"), text.to_owned()));
        }
    }
    assert_eq!(files.len(), 5, "{files:?}");
    for name in ["orchestrator.json", "agents.json", "tools.json"] {
        let path = format!("{}/../../examples/workflows/Generator/{name}", env!("CARGO_MANIFEST_DIR"));
        files.push((format!("workflows/Generator/{name}"), std::fs::read_to_string(path).unwrap()));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = Folder::new(&files);
    folder.write(
        "script.yaml",
        r#"
OrchestratorAgent:
  - calls: [{ tool: request_api_key, args: { service: mail } }]
  - calls: [{ tool: agent__HookAgent, args: { input: "Announce it." } }]
  - calls: [{ tool: agent__UserFeedbackAgent, args: { input: "What now?" } }]
  - say: "{last} DONE"
HookAgent:
  - say: "The key sk-17 works."
UserFeedbackAgent:
  - calls: [{ tool: echo, args: { text: "Good." } }]
  - say: "It is {last}"
"#,
    );
    let ran = folder.run(&["check", "workflows/Generator"]);
    assert_eq!((ran.code, &*ran.words), (0, "checked 1 workflow: no problems\n"), "{ran:?}");
    let chat = ["chat", "--workflow", "workflows/Generator", "--model", "script:script.yaml"];
    let ran = folder.pipe(b"Connect my mail.\n\"sk-17\"\n", &chat);
    assert!(ran.code == 0 && ran.out.contains("It is Good. DONE"), "{ran:?}");
    assert!(ran.out.contains("The key [key] works.") && !ran.out.contains("The key sk-17"), "{ran:?}");
}
