//! The commands that show agents.

use serde_json::{Value, json};

use crate::folder::Folder;

#[test]
fn o1_list_shows_agents_with_the_sources_of_their_tools() {
    let folder = Folder::adder();
    folder.write("cards/boss.md", "---\ndefault: true\nagents: [adder]\nruntime: [human.input]\ntool_hooks: [\"::onionskin::hooks::log\"]\n---\nLead.\n");
    let ran = folder.run(&["list", "--card", "cards"]);
    let expected = "\
boss
  agent__adder  agent    Adds numbers.
  human_input   runtime  Asks the user a question and gives back the answer. Use it if something is missing that only the use…
  tool hooks: log

adder: Adds numbers.
  add_one  function  Adds one to a number.
";
    assert_eq!((ran.code, &*ran.out), (0, expected), "{ran:?}");
    let list: Value = serde_json::from_str(&folder.run(&["list", "--card", "cards", "--json"]).out).unwrap();
    assert_eq!(list["agents"][1]["tools"][0]["name"], "add_one");
    assert_eq!(list["agents"][1]["tools"][0]["input_schema"]["required"], json!(["x"]));
}

#[cfg(feature = "shell")]
#[test]
fn a14_list_shows_which_calls_a_person_is_asked_for() {
    let folder = Folder::new(&[]);
    let shown = |approval: &str| {
        folder.write(
            "desk.md",
            &format!(
                "---\nruntime: [shell.execute, filesystem.list, filesystem.write]\n{approval}---\nServe.\n"
            ),
        );
        let ran = folder.run(&["list", "--card", "desk.md"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let asks = |line: &&str| line.contains("  runtime, approval  ");
        let tools =
            ran.out.lines().filter(asks).map(|line| line.split_whitespace().next().unwrap().to_owned());
        tools.collect::<Vec<_>>()
    };
    assert_eq!(shown(""), ["shell_execute", "filesystem_write"]);
    assert_eq!(shown("approval: [filesystem.*]\n"), ["shell_execute", "filesystem_list", "filesystem_write"]);
    assert!(shown("approval: []\n").is_empty());
}

#[test]
fn o1_list_shows_tool_hooks_in_their_order_with_their_tools() {
    let hook = |name: &str| format!("fn {name}(ctx, args) {{ call_next(args) }}\n");
    let hooks = ["mark", "cap", "last", "first"].map(hook).concat();
    let tools: String = ["order", "refund", "track", "ask", "tell"]
        .map(|tool| format!("/// Does it.\nfn {tool}() {{ 1 }}\n"))
        .concat();
    let card = |hooks: &str| {
        format!(
            "---\nfunction_tools: [tools.rhai:order, tools.rhai:refund, tools.rhai:track, tools.rhai:ask, tools.rhai:tell]\ntool_hooks: [{hooks}]\n---\nServe.\n"
        )
    };
    let folder = Folder::new(&[("hooks.rhai", &hooks), ("tools.rhai", &tools)]);
    for (declared, shown) in [
        (
            "{hook: hooks.rhai:cap, for: [refund]}, hooks.rhai:mark",
            "hooks.rhai:cap for refund, hooks.rhai:mark",
        ),
        (
            "{hook: hooks.rhai:first, for: [refund, tell]}, {hook: hooks.rhai:cap, for: [order]}, {hook: hooks.rhai:mark, for: [refund, order]}, {hook: hooks.rhai:last, for: [ask, tell, track, order]}",
            "hooks.rhai:cap for order, hooks.rhai:first for refund and tell, hooks.rhai:mark for order and refund, hooks.rhai:last for 4 of 5 tools",
        ),
    ] {
        folder.write("desk.md", &card(declared));
        let ran = folder.run(&["list", "--card", "desk.md"]);
        assert!(ran.code == 0 && ran.out.ends_with(&format!("\n  tool hooks: {shown}\n")), "{ran:?}");
    }
}

#[test]
fn o1_schema_prints_the_forms_of_providers() {
    let folder = Folder::adder();
    let schema = |arguments: &[&str]| -> Value {
        let all: Vec<&str> = ["schema", "--card", "cards"].iter().chain(arguments).copied().collect();
        serde_json::from_str(&folder.run(&all).out).unwrap()
    };
    assert_eq!(schema(&[])[0]["inputSchema"]["required"], json!(["x"]));
    assert_eq!(schema(&["add_one"])["name"], "add_one");
    assert_eq!(schema(&["add_one", "--for", "openai"])["function"]["name"], "add_one");
    assert_eq!(schema(&["add_one", "--for", "openai-responses"])["name"], "add_one");
    assert_eq!(schema(&["add_one", "--for", "anthropic"])["input_schema"]["required"], json!(["x"]));
    assert_eq!(schema(&["add_one", "--for", "gemini"])["parameters"]["required"], json!(["x"]));
    let wrong = folder.run(&["schema", "add_oen", "--card", "cards"]);
    wrong.failed(&["the agent has no tool `add_oen`; did you mean `add_one`?"]);
    folder.run(&["schema", "--card", "cards", "--for", "opnai"]).failed(&["openai"]);
    // The name of a server or of the runtime is often forgotten.
    folder.write("cards/boss.md", "---\nagents: [adder]\n---\nAsk.\n");
    for name in ["adder", "addre"] {
        let wrong = folder.run(&["schema", name, "--card", "cards", "--agent", "boss"]);
        wrong.failed(&[&format!("the agent has no tool `{name}`; did you mean `agent__adder`?")]);
    }
}

#[test]
fn c5_docs_and_graph_are_pages_of_the_agents() {
    let folder = Folder::adder();
    let docs = folder.run(&["docs", "--card", "cards"]).out;
    assert!(docs.contains("add_one") && docs.contains("Adds one to a number."), "{docs}");
    let graph = folder.run(&["graph", "--card", "cards"]).out;
    assert!(graph.starts_with("graph TD\n") && graph.contains("add_one"), "{graph}");
    let ran = folder.run(&["docs", "--card", "cards", "--out", "page.md"]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
    let mark = "<!-- Written by the command `docs`: changes are lost with its next run. -->\n\n";
    assert_eq!(folder.read("page.md"), format!("{mark}{docs}"));
    // The file is known by its first line; another one stays.
    assert_eq!(folder.run(&["docs", "--card", "cards", "--out", "page.md"]).code, 0);
    folder.write("mine.md", "# Mine\n");
    for command in ["docs", "graph"] {
        let ran = folder.run(&[command, "--card", "cards", "--out", "mine.md"]);
        ran.failed(&["error: this command did not write `mine.md`, and does not replace it: remove it, or name another"]);
    }
    assert_eq!(folder.read("mine.md"), "# Mine\n");
    folder.run(&["docs", "--card", "cards", "--out", "no/page.md"]).failed(&["cannot write `no/page.md`"]);
}

#[test]
fn o1_completions_know_the_commands() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]).out;
        assert!(script.contains("agent-cards") && script.contains("schema"), "{shell}: {script}");
        let option = if shell == "fish" { "-l workflow " } else { "--workflow" };
        assert!(script.contains(option), "{shell}: {script}");
    }
    folder.run(&["completions", "bsh"]).failed(&["bash"]);
}

#[test]
fn o1_each_command_has_a_short_and_a_long_help() {
    let folder = Folder::new(&[]);
    for command in ["run", "list", "schema", "docs", "graph", "check", "new", "completions"] {
        let (short, long) = (folder.run(&[command, "-h"]), folder.run(&[command, "--help"]));
        assert_eq!((short.code, long.code), (0, 0));
        assert!(short.out.lines().count() < long.out.lines().count(), "{command}: {}", short.out);
        let examples = format!("Examples:\n  onionskin {command} ");
        assert!(long.out.contains(&examples) && !short.out.contains("Examples"), "{}", long.out);
        assert!(!long.out.contains("{program}") && !long.out.contains('\u{1b}'), "{}", long.out);
    }
}

#[test]
fn o1_each_command_says_what_its_agent_is_for() {
    let folder = Folder::adder();
    for (command, words) in [
        ("run", "Ask this agent,"),
        ("chat", "Ask this agent,"),
        ("list", "Show this agent first,"),
        ("schema", "Print the tools of this agent,"),
        ("docs", "Begin the page with this agent,"),
        ("graph", "Begin the graph with this agent,"),
    ] {
        let help = folder.run(&[command, "-h"]).out;
        let line = help.lines().find(|line| line.contains("--agent <NAME>")).unwrap();
        assert!(line.contains(words), "{command}: {line}");
    }
    folder.write("cards/clerk.md", "---\nfunction_tools: [tools.rhai:add_one]\n---\nNote.\n");
    for command in ["list", "docs", "graph"] {
        let of = |agent: &str| folder.run(&[command, "--card", "cards", "--agent", agent]).out;
        let is_first = |agent: &str, other: &str| {
            let page = of(agent);
            page.find(agent).unwrap() < page.find(other).unwrap()
        };
        assert!(is_first("clerk", "adder") && is_first("adder", "clerk"), "{command}: {}", of("clerk"));
    }
}
