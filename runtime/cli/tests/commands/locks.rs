//! `check` with the lock files of servers. No server is started.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::pages;

const FILE: &str = "onionskin-mcp.lock.json";
const SERVERS: &str = r#"{"mcpServers": {"time": {"command": "/no/such/program"}, "files": {"command": "/no/such/program"}, "git": {"command": "/no/such/program"}}}"#;
const CLOCK: &str = "---\nservers: [time]\ntools: { time: [get_tme] }\n---\nTell the time.\n";
/// What the compiler says of cards.
const COMPILED: &str = include_str!("../../../../macros/tests/errors/lock/names.md");

/// A lock file with these tools of servers.
fn lock(servers: &[(&str, &[&str])]) -> String {
    let server = |(name, tools): &(&str, &[&str])| {
        let tools: serde_json::Map<_, _> =
            tools.iter().map(|tool| ((*tool).to_owned(), json!({"inputSchema": {}}))).collect();
        ((*name).to_owned(), json!({ "tools": tools }))
    };
    let servers: serde_json::Map<_, _> = servers.iter().map(server).collect();
    json!({"version": 1, "servers": servers}).to_string()
}

/// A folder with configured servers, of which `git` is not locked.
fn locked(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&[(".mcp.json", SERVERS)]);
    folder.write(FILE, &lock(&[("time", &["convert_time", "get_time"]), ("files", &["read-file"])]));
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

#[test]
fn a3_check_says_what_the_compiler_says_of_a_card() {
    let cases = pages::read(COMPILED).1;
    for name in ["card_tool", "card_filter", "card_resources"] {
        let case = cases.iter().find(|case| case.name == format!("{name}.rs")).unwrap();
        let path = format!("{name}/clock.md");
        let folder = Folder::new(&[
            (".mcp.json", SERVERS),
            (FILE, &case.files[&format!("../{FILE}")]),
            (&path, &case.files["clock.md"]),
        ]);
        // Behind the words of the card, which rustc indents, it shows the invocation.
        let shown: Vec<_> = case.message.lines().take_while(|line| !line.starts_with(" -->")).collect();
        let shown = shown.join("\n").replace("\n       ", "\n");
        let ran = folder.run(&["check", &path]);
        assert!(ran.code == 1 && ran.out.contains(&shown), "{shown}\n{ran:?}");
    }
}

#[test]
fn a3_check_finds_the_names_that_a_lock_file_does_not_have() {
    let folder = locked(&[(
        "cards/clock.md",
        "---
servers: [time, files, git]
tools:
  time: [get_*, set_*]
  files: [read-file, write-file]
  git: [comit]
tool_hooks:
  - { hook: ::onionskin::hooks::log, for: [time__get_time, time__get_tme] }
  - { hook: ::onionskin::hooks::timing, except: [tool(files__read-fiel), tool(git__comit), tool(other__x)] }
  - { hook: ::onionskin::hooks::log, for: [server(git), source(mcp)] }
---
Tell the time.
",
    )]);
    let ran = folder.run(&["check"]);
    let expected = "\
error: no tool of the server `time` in `onionskin-mcp.lock.json` matches `set_*`; it has `convert_time`, `get_time`. If the server has changed, run `onionskin mcp lock`
 --> cards/clock.md:4:17
  |
4 |   time: [get_*, set_*]
  |                 ^^^^^

error: `write-file` is not a tool of the server `files` in `onionskin-mcp.lock.json`; it has `read-file`. If the server has changed, run `onionskin mcp lock`
 --> cards/clock.md:5:22
  |
5 |   files: [read-file, write-file]
  |                      ^^^^^^^^^^

error: `time__get_tme` is not a tool of the server `time` in `onionskin-mcp.lock.json`; did you mean `time__get_time`? If the server has changed, run `onionskin mcp lock`
 --> cards/clock.md:8:60
  |
8 |   - { hook: ::onionskin::hooks::log, for: [time__get_time, time__get_tme] }
  |                                                            ^^^^^^^^^^^^^

error: `files__read-fiel` is not a tool of the server `files` in `onionskin-mcp.lock.json`; did you mean `files__read-file`? If the server has changed, run `onionskin mcp lock`
 --> cards/clock.md:9:50
";
    assert!(ran.code == 1 && ran.out.starts_with(expected), "{}", ran.out);
    assert_eq!(ran.words, "checked 1 path of cards, 1 configuration of servers: 4 problems\n");
    // Nothing is wrong without the file.
    std::fs::remove_file(folder.path(FILE)).unwrap();
    let ran = folder.run(&["check"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{ran:?}");
}

#[test]
fn h5_check_finds_tools_that_a_filter_names_without_their_server() {
    let card = |filter: &str| {
        format!(
            "---\nservers: [git, time]\ntool_hooks: [{{ hook: ::onionskin::hooks::log, for: [{filter}] }}]\n---\nTell the time.\n"
        )
    };
    let folder = locked(&[("cards/clock.md", &card("tool(get_time)"))]);
    let ran = folder.run(&["check"]);
    let expected = "error: this agent has no tool `get_time`; did you mean `time__get_time`?\n --> cards/clock.md:3:53\n";
    assert!(ran.code == 1 && ran.out.starts_with(expected), "{ran:?}");
    folder.write("cards/clock.md", &card("tool(time__get_time), tool(other)"));
    let ran = folder.run(&["check"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{ran:?}");
}

#[test]
fn a3_check_gives_the_names_that_a_lock_file_does_not_have_to_programs() {
    let folder = locked(&[("cards/clock.md", CLOCK)]);
    let problems: Vec<Value> = serde_json::from_str(&folder.run(&["check", "--json"]).out).unwrap();
    let message = "`get_tme` is not a tool of the server `time` in `onionskin-mcp.lock.json`; did you mean `get_time`? If the server has changed, run `onionskin mcp lock`";
    let expected =
        json!([{ "level": "error", "file": "cards/clock.md", "line": 3, "column": 17, "message": message }]);
    assert_eq!(json!(problems), expected);
}

#[test]
fn a3_check_shows_the_names_beside_other_mistakes_of_a_card() {
    let card = "---\nserver: [x]\nservers: [time, tiem]\ntools: { time: [get_tme] }\ntool_hooks:\n  - { hook: ::onionskin::hooks::log, for: [time__get_tmie, files__x, add_oen] }\n---\nTell the time.\n";
    let folder = locked(&[("clock.md", card)]);
    let ran = folder.run(&["check", "clock.md"]);
    for part in [
        "unknown field `server`",
        "this agent has no tool `files__x`",
        "this agent has no tool `add_oen`",
        "there is no server `tiem`; did you mean `time`?",
        "`get_tme` is not a tool of the server `time`",
        "`time__get_tmie` is not a tool of the server `time`",
    ] {
        assert_eq!(ran.out.matches(part).count(), 1, "{part}: {}", ran.out);
    }
    assert_eq!(ran.words, "checked 1 path of cards: 6 problems\n");
}

#[test]
fn a3_check_looks_for_the_tools_of_a_workflow_in_the_lock_file() {
    let folder = locked(&[
        ("flow/orchestrator.json", "{ \"start_agent\": \"Clock\" }"),
        (
            "flow/agents.json",
            "{\n  \"Clock\": {\n    \"instruction\": \"Tell the time.\", \"servers\": [\"time\"],\n    \"tools\": { \"time\": [\"get_tme\"] },\n    \"tool_hooks\": [{ \"hook\": \"::onionskin::hooks::log\", \"for\": [\"time__get_tme\"] }]\n  }\n}\n",
        ),
    ]);
    let ran = folder.run(&["check", "flow"]);
    for part in [
        "error: `get_tme` is not a tool of the server `time` in `onionskin-mcp.lock.json`; did you mean `get_time`? If the server has changed, run `onionskin mcp lock`\n --> flow/agents.json:4:25\n  |\n4 | ",
        "error: `time__get_tme` is not a tool of the server `time` in `onionskin-mcp.lock.json`; did you mean `time__get_time`? If the server has changed, run `onionskin mcp lock`\n --> flow/agents.json:5:65\n  |\n5 | ",
    ] {
        assert!(ran.out.contains(part), "{part}\n{}", ran.out);
    }
    assert_eq!((ran.code, &*ran.words), (1, "checked 1 workflow: 2 problems\n"));
}

#[test]
fn a3_the_lock_file_is_the_one_beside_the_configuration() {
    let folder = locked(&[("a/.mcp.json", SERVERS), ("a/cards/clock.md", CLOCK)]);
    // That of the working directory is not the one of this configuration.
    let ran = folder.run(&["check", "a"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{ran:?}");
    folder.write(&format!("a/{FILE}"), &lock(&[("time", &["get_tmes"])]));
    let words = "`get_tme` is not a tool of the server `time` in `a/onionskin-mcp.lock.json`; did you mean `get_tmes`? If the server has changed, run `onionskin mcp lock --config a/.mcp.json --out a/onionskin-mcp.lock.json`\n --> a/cards/clock.md:3:17";
    let ran = folder.run(&["check", "a"]);
    assert!(ran.code == 1 && ran.out.contains(words), "{ran:?}");
    // A card alone belongs to the working directory.
    let ran = folder.run(&["check", "a/cards"]);
    assert!(
        ran.code == 1 && ran.out.contains("in `onionskin-mcp.lock.json`; did you mean `get_time`?"),
        "{ran:?}"
    );
    // Of several configurations that have the server, the last one counts, as for agents.
    let beside_last = |ran: &crate::folder::Ran, near: &str| {
        assert!(ran.out.matches("did you mean").count() == 1 && ran.out.contains(near), "{ran:?}");
    };
    beside_last(&folder.run(&["check", "a/cards", "a/.mcp.json", ".mcp.json"]), "did you mean `get_time`?");
    beside_last(&folder.run(&["check", "a/cards", ".mcp.json", "a/.mcp.json"]), "did you mean `get_tmes`?");
    folder.write("a/.mcp.json", r#"{"mcpServers": {"git": {"command": "x"}}}"#);
    beside_last(&folder.run(&["check", "a/cards", ".mcp.json", "a/.mcp.json"]), "did you mean `get_time`?");
}

#[test]
fn a3_a_lock_file_that_cannot_be_used_is_one_problem() {
    let folder = locked(&[("cards/clock.md", CLOCK), ("cards/watch.md", CLOCK), ("more.json", SERVERS)]);
    let of = |ran: crate::folder::Ran, expected: &str| {
        assert!(ran.code == 1 && ran.out.contains(expected), "{expected}: {ran:?}");
        assert!(ran.out.matches("mcp lock").count() == 1 && ran.words.ends_with(": 1 problem\n"), "{ran:?}");
    };
    folder.write(FILE, "{\n  \"version\": 1,\n<<<<<<< HEAD\n");
    let broken = "error: onionskin-mcp.lock.json:3:1: ";
    for paths in [&["check"][..], &["check", "cards"], &["check", "cards", ".mcp.json", "more.json"]] {
        of(folder.run(paths), broken);
    }
    of(folder.run(&["check"]), "; run `onionskin mcp lock` to rewrite the file");
    let problems: Vec<Value> = serde_json::from_str(&folder.run(&["check", "--json"]).out).unwrap();
    assert_eq!(
        (&problems[0]["file"], &problems[0]["line"], problems.len()),
        (&json!(FILE), &json!(3), 1),
        "{problems:?}"
    );
    folder.write(FILE, r#"{"version": 3}"#);
    of(folder.run(&["check"]), "`onionskin-mcp.lock.json` has version 3, and this onionskin reads version 2");
    std::fs::remove_file(folder.path(FILE)).unwrap();
    folder.write(&format!("{FILE}/x"), "");
    of(folder.run(&["check"]), "error: cannot read `onionskin-mcp.lock.json`: ");
    // Cards without servers have nothing to do with the file.
    folder.write("cards/clock.md", "---\nname: Clock\n---\nTell the time.\n");
    let ran = folder.run(&["check", "cards/clock.md"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{ran:?}");
}

#[test]
fn a3_a_server_that_does_not_start_is_shown_beside_the_names() {
    let folder = locked(&[("cards/clock.md", CLOCK)]);
    let ran = folder.run(&["check", "--servers"]);
    for part in [
        "`get_tme` is not a tool of the server `time`",
        "the MCP server `time` (`/no/such/program`) did not start",
    ] {
        assert_eq!(ran.out.matches(part).count(), 1, "{part}: {ran:?}");
    }
    // An unusable file is said once, also if there are servers to be compared with it.
    folder.write(FILE, "{");
    let ran = folder.run(&["check", "--servers"]);
    assert_eq!(ran.out.matches(FILE).count(), 1, "{ran:?}");
}
