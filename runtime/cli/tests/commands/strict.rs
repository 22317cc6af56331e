//! `check` is as strict as the command that follows it.

use crate::folder::{Folder, Ran};

fn wrong(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in parts {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

#[test]
fn o1_check_finds_a_workflow_whose_tool_has_no_file() {
    let folder = Folder::new(&[
        ("flow/orchestrator.json", "{ \"start_agent\": \"Writer\" }"),
        ("flow/agents.json", "{ \"Writer\": { \"instruction\": \"Write.\" } }"),
        ("flow/tools.json", "{ \"agent_tools\": { \"Writer\": [{ \"path\": \"tools.no.echo\" }] } }"),
    ]);
    wrong(&folder.run(&["check", "flow"]), &["there is no file `flow/tools/no.rs`", "flow/tools.json:1:"]);
}

#[test]
fn o1_check_builds_agents_that_need_no_servers() {
    let card = |servers: &str| format!("---\nrequest_params: {{ tool_choice: nope }}\n{servers}---\nA.\n");
    let folder = Folder::new(&[("a.md", &card("")), ("b/b.md", &card("servers: [time]\n"))]);
    wrong(&folder.run(&["check", "a.md"]), &["the agent `a`", "`nope`"]);
    // These are built with `--servers`.
    folder.write(".mcp.json", "{\"mcpServers\": {\"time\": {\"command\": \"x\"}}}");
    assert_eq!(folder.run(&["check", "b"]).code, 0);
}

#[test]
fn o1_servers_of_one_agent_do_not_hide_the_mistakes_of_others() {
    let wrong_choice = "request_params: { tool_choice: nope }\n";
    let folder = Folder::new(&[
        ("cards/a.md", "---\nagents: [b]\n---\nA.\n"),
        ("cards/b.md", "---\ndescription: B.\nservers: [time]\n---\nB.\n"),
        ("cards/c.md", "---\nagents: [d]\n---\nC.\n"),
        ("cards/d.md", &format!("---\ndescription: D.\n{wrong_choice}---\nD.\n")),
        (".mcp.json", "{\"mcpServers\": {\"time\": {\"command\": \"x\"}}}"),
    ]);
    wrong(&folder.run(&["check"]), &["the agent `d`", "`nope`"]);
    folder.write("cards/d.md", "---\ndescription: D.\n---\nD.\n");
    assert_eq!(folder.run(&["check"]).code, 0);
    // Those above an agent with servers are built with `--servers`.
    folder.write("cards/a.md", &format!("---\nagents: [b]\n{wrong_choice}---\nA.\n"));
    assert_eq!(folder.run(&["check"]).code, 0);
}

#[test]
fn o1_check_reads_the_servers_of_cards_as_run_does() {
    let folder = Folder::new(&[
        ("cards/a.md", "---\nservers: [time]\n---\nA.\n"),
        ("script.yaml", "a:\n  - say: Hello.\n"),
    ]);
    for (config, part) in [
        (r#"{"mcpServers": {"time": {"url": "x"}}}"#, ".mcp.json:1:33: `mcpServers.time.url`: "),
        (r#"{"mcpServers": {"time": {"command": "x", "disabled": true}}}"#, "the server is disabled"),
        (r#"{"mcpServers": {"time": {"command": "${NO_SUCH_NAME}"}}}"#, "NO_SUCH_NAME"),
        (r#"{"mcpServers": {"time": 5}}"#, ".mcp.json:1:"),
        ("{", ".mcp.json:1:"),
    ] {
        folder.write(".mcp.json", config);
        let ran = folder.run(&["run", "--card", "cards", "--model", "script:script.yaml", "Hello."]);
        ran.failed(&[part]);
        let words = ran.words.lines().next().unwrap();
        let ran = folder.run(&["check", "cards"]);
        wrong(&ran, &[part, words]);
        assert!(ran.words.ends_with(": 1 problem\n"), "{ran:?}");
    }
    // Servers that no card names are not of interest.
    folder.write(
        ".mcp.json",
        r#"{"mcpServers": {"time": {"command": "x"}, "far": {"command": "${NO_SUCH_NAME}"}}}"#,
    );
    assert_eq!(folder.run(&["check", "cards"]).code, 0);
    folder.write("onionskin.toml", "servers = \"no.json\"\n");
    wrong(&folder.run(&["check", "cards"]), &["error: `servers` in `onionskin.toml`: cannot read `no.json`"]);
}

#[test]
fn o1_a_strict_lock_needs_a_lock_file() {
    let folder = Folder::new(&[
        ("cards/a.md", "---\nservers: [time]\nlock: strict\n---\nA.\n"),
        (".mcp.json", "{\"mcpServers\": {\"time\": {\"command\": \"x\"}}}"),
    ]);
    let part = "the MCP server `time` is not in `onionskin-mcp.lock.json`, and the agent says `lock: strict`; run `onionskin mcp lock` to add it\n --> cards/a.md:2:11";
    for paths in [&["check"][..], &["check", "cards"]] {
        wrong(&folder.run(paths), &[part]);
    }
    folder.write("onionskin-mcp.lock.json", r#"{"version": 1, "servers": {"time": {"tools": {}}}}"#);
    assert_eq!(folder.run(&["check"]).code, 0);
}

#[test]
fn o1_a_server_of_another_agent_stops_no_run() {
    let folder = Folder::new(&[
        ("cards/a.md", "---\nagents: [c]\n---\nA.\n"),
        ("cards/b.md", "---\nservers: [gone]\n---\nB.\n"),
        ("cards/c.md", "---\ndescription: C.\n---\nC.\n"),
        (".mcp.json", "{\"mcpServers\": {\"gone\": {\"command\": \"/no/such/program\"}}}"),
        ("script.yaml", "a:\n  - say: Hello.\n"),
    ]);
    let run = |agent: &str| {
        folder.run(&["run", "--card", "cards", "--agent", agent, "--model", "script:script.yaml", "Hello."])
    };
    let ran = run("a");
    assert_eq!((ran.code, &*ran.out), (0, "Hello.\n"), "{ran:?}");
    run("b").failed(&["the MCP server `gone`"]);
    let words = ["the MCP server `gone`", "\nthe server `gone` is used by `b`\n"];
    folder.run(&["list", "--card", "cards"]).failed(&words);
    folder.write(".mcp.json", "{\"mcpServers\": {\"gone\": {\"url\": \"x\"}}}");
    folder.run(&["list", "--card", "cards"]).failed(&["mcpServers.gone.url", words[1]]);
}

#[test]
fn o1_check_reads_the_skills_that_a_run_would_read() {
    let folder = Folder::new(&[
        ("a.md", "---\nruntime: [skills.read]\nservers: [time]\n---\nA.\n"),
        (".mcp.json", "{\"mcpServers\": {\"time\": {\"command\": \"x\"}}}"),
        ("skills/cake/SKILL.md", "---\nname: cake\n---\nBake.\n"),
    ]);
    let ran = folder.run(&["check", "a.md"]);
    wrong(&ran, &["skills/cake/SKILL.md:1:1: `description` is missing", " --> a.md:2:11"]);
    folder.write("skills/cake/SKILL.md", "---\nname: cake\ndescription: Bakes.\n---\nBake.\n");
    assert_eq!(folder.run(&["check", "a.md"]).code, 0);
}

#[test]
fn o1_check_looks_at_cards_beside_a_configuration_of_servers() {
    let folder = Folder::new(&[
        ("p/.mcp.json", "{\"mcpServers\": {\"time\": {\"command\": \"x\"}}}"),
        ("p/a.md", "---\ndescription: A.\ncolour: red\n---\nA.\n"),
        ("p/README.md", "# Agents\n"),
    ]);
    let ran = folder.run(&["check", "p"]);
    wrong(&ran, &["unknown field `colour`", " --> p/a.md:3:1"]);
    assert!(
        ran.words.ends_with("checked 1 path of cards, 1 configuration of servers: 1 problem\n"),
        "{ran:?}"
    );
    let ran = Ran::new(folder.command(&["check"]).current_dir(folder.path("p")).output().unwrap());
    wrong(&ran, &["unknown field `colour`"]);
}

#[test]
fn o1_files_without_a_field_of_a_card_are_cards_in_their_folder_only() {
    let others = [
        ("NOTES.md", "# Notes\n"),
        ("todo.md", "---\ntitle: To do\n---\nNothing.\n"),
        ("compose.yaml", "services: {}\n"),
        (".github.yml", "on: push\n"),
    ];
    let folder = Folder::new(&others);
    folder.run(&["check"]).failed(&["there is nothing to check here"]);
    folder.write("cards/a.md", "---\ndescription: A.\n---\nA.\n");
    for paths in [&["check"][..], &["check", "."]] {
        let ran = folder.run(paths);
        assert_eq!((ran.code, &*ran.words), (0, "checked 1 path of cards: no problems\n"), "{ran:?}");
    }
    folder.write("b.md", "---\ndescription: B.\ncolour: red\n---\nB.\n");
    wrong(&folder.run(&["check"]), &["unknown field `colour`", " --> b.md:3:1"]);
    folder.write("b.md", "---\ndescription: B.\nB.\n");
    wrong(&folder.run(&["check"]), &["b.md"]);
    folder.write("b.md", "");
    folder.write("cards/NOTES.md", "# Notes\n");
    wrong(&folder.run(&["check"]), &["the front matter is missing", " --> cards/NOTES.md:1:1"]);
}

#[test]
fn a4_servers_without_their_field_are_a_mistake() {
    let folder = Folder::new(&[(".mcp.json", "{\n  \"playwright\": {\"command\": \"npx\"}\n}")]);
    let part = "error: .mcp.json:2:17: `playwright`: this is a server: write the servers below `mcpServers`: {\"mcpServers\": {\"playwright\": ..}}";
    wrong(&folder.run(&["check"]), &[part]);
    folder.run(&["mcp", "list"]).failed(&["write the servers below `mcpServers`"]);
}

#[test]
fn c1_other_files_in_a_folder_of_cards_are_named() {
    let folder = Folder::adder();
    folder.write("cards/fast-agent.yaml", "default_model: haiku\n");
    let words =
        "cards/fast-agent.yaml: this is no card: it has no instruction, and fields that cards do not have\n";
    let ran = folder.run(&["run", "--card", "cards", "--model", "script:script.yaml", "41 + 1?"]);
    assert_eq!((ran.code, &*ran.out), (0, "It is 42.\n"), "{ran:?}");
    assert!(ran.words.contains(words), "{ran:?}");
    let ran = folder.run(&["check", "cards"]);
    assert!(ran.code == 0 && ran.words.contains(words), "{ran:?}");
}

#[test]
fn c1_an_agent_has_the_name_that_people_gave_it() {
    let folder = Folder::new(&[
        ("cards/boss.md", "---\nagents: [Governance Reviewer]\ndefault: true\n---\nAsk.\n"),
        ("cards/review.md", "---\nname: Governance Reviewer\ndescription: Reviews.\n---\nReview.\n"),
        (
            "script.yaml",
            "boss:\n  - calls: [{ tool: agent__Governance_Reviewer, args: { input: Look. } }]\n  - say: \"{last}\"\nGovernance Reviewer:\n  - say: Fine.\n",
        ),
    ]);
    let ran = folder.run(&["run", "--card", "cards", "--model", "script:script.yaml", "Go."]);
    assert_eq!((ran.code, &*ran.out), (0, "Fine.\n"), "{ran:?}");
    let ran = folder.run(&["list", "--card", "cards"]);
    assert!(ran.out.contains("\nGovernance Reviewer: Reviews.\n"), "{ran:?}");
    folder.write("cards/review.md", "---\nname: \" Governance\"\n---\nReview.\n");
    wrong(&folder.run(&["check", "cards/review.md"]), &["single blanks between its words only"]);
}

#[test]
fn o1_check_warns_of_times_that_are_never_reached() {
    let folder = Folder::new(&[
        (
            "cards/boss.md",
            "---\nagents: [clerk]\nlimits: { time_sec: 10 }\nchild_timeout_sec: 30\n---\nAsk.\n",
        ),
        ("cards/clerk.md", "---\ndescription: Writes.\nlimits: { time_sec: 20 }\n---\nWrite.\n"),
    ]);
    let ran = folder.run(&["check"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in [
        "warning: cards/boss.md:4:20: a run of `boss` has 10 s, and waits 30 s for a child: the child has no more than the run\n",
        "warning: cards/clerk.md:3:21: `clerk` has 20 s here, and as a child of `boss` at most 10 s\n",
    ] {
        assert!(ran.words.contains(line), "{line}: {ran:?}");
    }
    folder.write("cards/boss.md", "---\nagents: [clerk]\nlimits: { time_sec: 40 }\n---\nAsk.\n");
    assert_eq!(folder.run(&["check"]).words, "checked 1 path of cards: no problems\n");
}
