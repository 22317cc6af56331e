//! `check`.

use serde_json::{Value, json};

use crate::folder::{Folder, Ran};

/// A link in a folder of cards leads to any file of the machine, and the result of `check` goes into logs.
#[cfg(unix)]
#[test]
fn c1_nothing_is_quoted_of_a_file_that_a_link_leads_to() {
    let secret = "hunter2: hunter3\ndescription: [hunter4\n";
    let folder = Folder::new(&[
        ("secret", secret),
        ("own.yaml", secret),
        ("cards/real.yaml", "instruction: A.\ncolour: red\n"),
    ]);
    for link in ["cards/a.yaml", "cards/b.md"] {
        std::os::unix::fs::symlink(folder.path("secret"), folder.path(link)).unwrap();
    }
    std::os::unix::fs::symlink(folder.path("cards/real.yaml"), folder.path("cards/c.yaml")).unwrap();
    let ran = folder.run(&["check", "cards", "secret"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.out.contains("hunter") && !ran.words.contains("hunter"), "{ran:?}");
    for part in
        ["cards/a.yaml", "cards/b.md", "(its text is not shown: it is no file of an agent in its folder)"]
    {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    // A link within the folder is a card of it, and a file of the right name is its own.
    assert!(ran.out.contains("cards/c.yaml") && ran.out.contains("colour: red"), "{ran:?}");
    assert!(folder.run(&["check", "own.yaml"]).out.contains("hunter"), "{ran:?}");
}

#[test]
fn o1_check_finds_nothing_wrong() {
    let folder = Folder::adder();
    folder.write(".mcp.json", r#"{"mcpServers": {"time": {"command": "time-server"}}}"#);
    let ran = folder.run(&["check"]);
    let summary = "checked 1 path of cards, 1 configuration of servers: no problems\n";
    assert_eq!((ran.code, &*ran.out, &*ran.words), (0, "", summary));
    for paths in [&["."][..], &["cards", ".mcp.json"], &["cards/adder.md", "cards/adder.md"]] {
        let ran = folder.run(&[&["check"], paths].concat());
        assert_eq!((ran.code, &*ran.out), (0, ""), "{paths:?}: {ran:?}");
    }
    // The options of other commands name paths too.
    for paths in [&["--card", "cards"][..], &["--agent-cards", "cards/adder.md"]] {
        let ran = folder.run(&[&["check"], paths].concat());
        assert_eq!((ran.code, &*ran.words), (0, "checked 1 path of cards: no problems\n"), "{ran:?}");
    }
    let ran = wrong().run(&["check", "cards/a.md", "--workflow", "workflows/one"]);
    assert!(ran.code == 1 && ran.words.starts_with("checked 1 path of cards, 1 workflow: "), "{ran:?}");
    assert_eq!(folder.run(&["check", "--json"]).out, "[]\n");
    Folder::new(&[]).run(&["check"]).failed(&["there is nothing to check here: name a card"]);
}

#[test]
fn o1_check_finds_two_tools_of_one_name_as_list_does() {
    let tool = "/// Adds.\nfn add() { 1 }\n";
    let card = "---\nfunction_tools: [t.rhai:add, u.rhai:add]\n---\nAdd.\n";
    let folder = Folder::new(&[("cards/a.md", card), ("cards/t.rhai", tool), ("cards/u.rhai", tool)]);
    let words = "the tool `add` of `u.rhai:add` has the name of a tool of `t.rhai:add`";
    let ran = folder.run(&["check"]);
    assert!(ran.code == 1 && ran.out.contains(words), "{ran:?}");
    folder.run(&["list", "--card", "cards"]).failed(&[words]);
}

/// A folder with a mistake of each kind.
fn wrong() -> Folder {
    Folder::new(&[
        ("cards/a.md", "---\nfunction_tool: []\n---\nA.\n"),
        ("cards/b.md", "---\nfunction_tools: [tools.rhai:add_oen, tools.rs:add]\nservers: [tiem]\n---\nB.\n"),
        (
            "cards/tools.rhai",
            "/// Adds.\n/// Args:\n///     x (int): The number.\nfn add_one(x) {\n    x + 1\n}\n",
        ),
        ("cards/tools.rs", ""),
        (
            ".mcp.json",
            "{\"mcpServers\": {\n  \"time\": {\"command\": \"x\", \"timout\": 5, \"env\": {\"KEY\": \"hunter2\"}},\n  \"far\": {\"url\": \"x\"},\n  \"bad\": {\"comand\": \"x\"}\n}}",
        ),
        ("workflows/one/orchestrator.json", "{\n  \"start_agent\": \"Nobody\"\n}"),
        ("workflows/one/agents.json", "{\"agents\": {}}"),
    ])
}

#[test]
fn o1_check_shows_all_problems_at_once() {
    let ran = wrong().run(&["check"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in [
        "unknown field `function_tool`; did you mean `function_tools`?\n --> cards/a.md:2:1\n  |\n2 | function_tool: []\n",
        "`tools.rhai` has no `add_oen`; did you mean `add_one`?",
        "`tools.rs:add` is Rust: it needs a program of yours",
        "there is no server `tiem`; did you mean `time`?\n --> cards/b.md:3:11",
        "error: .mcp.json:4:",
        "workflows/one/",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    for part in [
        "warning: .mcp.json:2:",
        "did you mean `timeout`?",
        "warning: .mcp.json:3:",
        "checked 1 path of cards, 1 workflow, 1 configuration of servers: 6 problems\n",
    ] {
        assert!(ran.words.contains(part), "{part}: {}", ran.words);
    }
    assert!(!ran.out.contains("hunter2") && !ran.words.contains("hunter2"), "{ran:?}");
}

#[test]
fn o1_check_gives_the_problems_to_programs() {
    let ran = wrong().run(&["check", "--json"]);
    assert_eq!((ran.code, &*ran.words), (1, ""));
    let problems: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let first = &problems[0];
    assert_eq!(
        (&first["level"], &first["file"], &first["line"], &first["column"]),
        (&json!("error"), &json!("cards/a.md"), &json!(2), &json!(1))
    );
    for file in ["cards/b.md", ".mcp.json", "workflows/one/agents.json"] {
        assert!(problems.iter().any(|problem| problem["file"] == file), "{file}: {}", ran.out);
    }
    assert_eq!(problems.iter().filter(|problem| problem["level"] == "warning").count(), 2, "{}", ran.out);
}

#[test]
fn o1_a_path_that_is_nothing_to_check_is_a_problem() {
    let folder = Folder::new(&[("notes.txt", ""), ("empty/x.txt", "")]);
    for (path, part) in [
        ("notes.txt", "notes.txt: this is not a card"),
        ("no.md", "no.md"),
        ("no", "no"),
        ("empty", "empty"),
        ("no.json", "cannot read `no.json`"),
    ] {
        let ran = folder.run(&["check", path]);
        assert_eq!(ran.code, 1, "{path}: {ran:?}");
        assert!(ran.out.contains(part), "{path}: {ran:?}");
    }
}

#[test]
fn o1_check_reports_servers_that_do_not_start() {
    let folder = Folder::adder();
    folder.write(".mcp.json", r#"{"mcpServers": {"time": {"command": "/no/such/program"}}}"#);
    assert_eq!(folder.run(&["check"]).code, 0);
    let ran = folder.run(&["check", "--servers"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("the MCP server `time` (`/no/such/program`) did not start"), "{}", ran.out);
}

#[test]
fn o1_check_looks_into_a_folder_of_workflows() {
    let folder = Folder::new(&[
        ("flows/one/orchestrator.json", "{ \"start_agent\": \"Writer\" }"),
        ("flows/one/agents.json", "{ \"Writer\": { \"instruction\": \"Write.\" } }"),
        ("flows/two/orchestrator.json", "{ \"start_agent\": \"Nobody\" }"),
        ("flows/two/agents.json", "{ \"Writer\": { \"instruction\": \"Write.\" } }"),
    ]);
    let ran = folder.run(&["check", "flows"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("flows/two/orchestrator.json:") && ran.out.contains("Nobody"), "{ran:?}");
    assert_eq!(ran.words, "checked 2 workflows: 1 problem\n");
    // In the folder of a workflow, which has a name there too.
    for arguments in [&["check"][..], &["check", "."], &["check", "agents.json"]] {
        let ran = Ran::new(folder.command(arguments).current_dir(folder.path("flows/one")).output().unwrap());
        assert_eq!(
            (ran.code, &*ran.words),
            (0, "checked 1 workflow: no problems\n"),
            "{arguments:?}: {ran:?}"
        );
    }
}

#[test]
fn o1_check_reads_a_card_once() {
    let folder = Folder::adder();
    let (cards, adder) = (folder.path("cards"), folder.path("cards/adder.md"));
    std::os::unix::fs::symlink(&cards, folder.path("link")).unwrap();
    for paths in [
        ["cards", "./cards"],
        ["cards", cards.to_str().unwrap()],
        ["cards", adder.to_str().unwrap()],
        ["cards/adder.md", "link/adder.md"],
        ["cards", "link"],
    ] {
        let ran = folder.run(&[&["check"], &paths[..]].concat());
        assert_eq!(ran.code, 0, "{paths:?}: {ran:?}");
        let ran = folder.run(&["list", "--card", paths[0], "--card", paths[1]]);
        assert_eq!(ran.code, 0, "{paths:?}: {ran:?}");
    }
    let ran = folder.run(&["check", "cards", "link"]);
    assert_eq!(ran.words, "checked 1 path of cards: no problems\n");
}

#[test]
fn o1_check_reports_a_folder_that_it_cannot_read() {
    let folder = Folder::adder();
    // Links to themselves can be read by no user.
    for path in ["workflows", "flows/workflows/loop"] {
        std::fs::create_dir_all(folder.path(path).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(folder.path(path), folder.path(path)).unwrap();
    }
    for (paths, place) in [(&["check"][..], "workflows"), (&["check", "flows"], "flows/workflows/loop")] {
        let ran = folder.run(paths);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.out.contains(&format!("error: {place}: the folder cannot be read: ")), "{ran:?}");
    }
}

#[test]
fn o1_check_shows_an_unknown_server_beside_an_unknown_field() {
    let folder = Folder::new(&[("cards/a.md", "---\nserver: [x]\nservers: [tiem]\n---\nA.\n")]);
    let ran = folder.run(&["check"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("unknown field `server`") && ran.out.contains("no server `tiem`"), "{ran:?}");
}

#[test]
fn o1_check_shows_the_mistakes_of_all_files_of_a_workflow() {
    let folder = Folder::new(&[
        ("flow/orchestrator.json", "{ \"start_agnt\": \"Writer\" }"),
        ("flow/agents.json", "{ \"Writer\": "),
        ("flow/tools.json", "{ \"agent_tool\": {} }"),
        ("flow/hooks.json", "[ {"),
    ]);
    let ran = folder.run(&["check", "flow"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in ["start_agnt", "flow/agents.json:1:", "agent_tool", "flow/hooks.json:1:"] {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(ran.words, "checked 1 workflow: 4 problems\n");
    // A broken part is not a part without fields.
    folder.write("flow/orchestrator.json", "{");
    folder.write("flow/agents.json", "{ \"Writer\": { \"instruction\": \"Write.\" } }");
    folder.write("flow/tools.json", "{}");
    folder.write("flow/hooks.json", "[]");
    assert_eq!(folder.run(&["check", "flow"]).words, "checked 1 workflow: 1 problem\n");
}

#[test]
fn c4_check_looks_for_the_items_and_servers_of_a_workflow() {
    let folder = Folder::new(&[
        ("flow/orchestrator.json", "{ \"start_agent\": \"Writer\" }"),
        ("flow/agents.json", "{ \"Writer\": {\n  \"instruction\": \"Write.\", \"servers\": [\"tiem\"]\n} }"),
        (
            "flow/tools.json",
            "{ \"agent_tools\": { \"Writer\": [\n  { \"path\": \"tools.add.add_oen\" },\n  { \"path\": \"tools.sub.sub_one\" }\n] } }",
        ),
        (
            "flow/tools/add.rhai",
            "/// Adds.\n/// Args:\n///     x (int): The number.\nfn add_one(x) {\n    x + 1\n}\n",
        ),
        ("flow/tools/sub.rs", ""),
        (".mcp.json", "{\"mcpServers\": {\"time\": {\"command\": \"x\"}}}"),
    ]);
    let ran = folder.run(&["check", "flow"]);
    assert_eq!((ran.code, &*ran.words), (1, "checked 1 workflow: 3 problems\n"), "{ran:?}");
    for part in [
        "error: `tools/sub.rs:sub_one` is Rust: it needs a program of yours",
        "error: `tools/add.rhai` has no `add_oen`; did you mean `add_one`?\n --> flow/tools.json:2:13\n  |\n2 | ",
        "error: there is no server `tiem`; did you mean `time`?\n --> flow/agents.json:2:40",
    ] {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    folder.write(
        "flow/tools.json",
        "{ \"agent_tools\": { \"Writer\": [{ \"path\": \"tools.add.add_oen\" }] } }",
    );
    let ran = folder.run(&["check", "flow"]);
    assert!(ran.out.contains("did you mean `add_one`?\n --> flow/tools.json:1:"), "{ran:?}");
}

#[test]
fn c4_check_builds_the_agents_of_a_workflow_with_its_servers() {
    let folder = Folder::new(&[
        ("flow/orchestrator.yaml", "start_agent: Writer\n"),
        (
            "flow/agents.json",
            "{ \"Writer\": { \"instruction\": \"Write.\", \"request_params\": { \"tool_choice\": \"nope\" } } }",
        ),
    ]);
    let warning = "warning: flow/orchestrator.yaml:1:1: YAML is the old form of this file: `onionskin migrate` writes `orchestrator.json`\n";
    // Without servers, they are built in each check.
    for arguments in [&["check", "flow", "--servers"][..], &["check", "flow"]] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.words), (1, format!("{warning}checked 1 workflow: 1 problem\n")));
        assert!(ran.out.contains("the agent `Writer`") && ran.out.contains("`nope`"), "{}", ran.out);
    }
}

#[test]
fn c3_a_type_without_a_file_is_rust_too() {
    let folder = Folder::new(&[("cards/a.md", "---\noutput: Answer\n---\nA.\n")]);
    let ran = folder.run(&["check"]);
    let line = "error: `Answer` is Rust: it needs a program of yours that has it";
    assert!(ran.code == 1 && ran.out.starts_with(line) && ran.out.contains("--> cards/a.md:2:9"), "{ran:?}");
}

#[test]
fn h9_check_and_run_show_wrong_values_of_ready_hooks_in_all_cards() {
    let card = |hook: &str| format!("---\nservers: [bank]\ntool_hooks:\n  - {hook}\n---\nPay.\n");
    let folder = Folder::new(&[
        (
            "cards/a.md",
            &card(
                r#"{ hook: "::onionskin::hooks::require_approval", with: ["cents == 1000"], for: [bank__pay] }"#,
            ),
        ),
        ("cards/b.md", &card(r#"{ hook: "::onionskin::hooks::rate_limit", with: [0, 60] }"#)),
        (".mcp.json", r#"{"mcpServers": {"bank": {"command": "bank-server"}}}"#),
    ]);
    for command in [&["check"][..], &["run", "--card", "cards", "--agent", "a", "Pay."]] {
        let ran = folder.run(command);
        let shown = format!("{}{}", ran.out, ran.words);
        for part in [
            "the condition `cents == 1000` of `require_approval` has none of",
            "cards/a.md:4:",
            "a rate limit of 0 permits lets no call pass",
            "cards/b.md:4:",
        ] {
            assert!(shown.contains(part), "{part}: {ran:?}");
        }
        assert!(ran.code != 0 && !shown.contains("panicked"), "{ran:?}");
    }
}
