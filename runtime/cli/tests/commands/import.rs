//! `import`.

use crate::folder::{Folder, Ran};

const REVIEWER: &str = "---\nname: code-reviewer\ndescription: Reviews code. Context: after a change.\ntools: Read, Grep, Bash, WebFetch, \
                        mcp__github__search, Bash(git *)\nmodel: sonnet\ncolor: red\n---\nReview the code of {{user}} in {file}.\n";

fn imported(folder: &Folder, arguments: &[&str]) -> Ran {
    let ran = folder.run(&[&["import"], arguments].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let checked = folder.run(&["check", "cards"]);
    assert_eq!((checked.code, &*checked.out), (0, ""), "{checked:?}");
    ran
}

#[test]
fn c6_an_agent_of_claude_code_is_a_card_and_each_other_part_is_said() {
    let folder = Folder::new(&[
        (".claude/agents/code-reviewer.md", REVIEWER),
        (".claude/agents/README.md", "# Agents\n"),
    ]);
    let ran = imported(&folder, &[".claude/agents"]);
    assert_eq!(ran.out, ".claude/agents/code-reviewer.md -> cards/code-reviewer.md\n");
    assert_eq!(
        folder.read("cards/code-reviewer.md"),
        "---\nname: \"code-reviewer\"\ndescription: \"Reviews code. Context: after a change.\"\nruntime: \n  - \"filesystem.read\"\n  - \
         \"filesystem.search\"\n  - \"shell.execute\"\napproval: \n  - \"shell.execute\"\n---\nReview the code of {{{user}}} in {{file}}.\n"
    );
    let place = ".claude/agents/code-reviewer.md";
    let words = [
        "note: no agents in 1 file of the folders\n".to_owned(),
        format!(
            "note: {place}:3: the fields are read line by line, because they are not YAML: mapping values are not allowed in this context; put the text in quotes\n"
        ),
        format!(
            "note: {place}:4: the server `github` with `search` is left out: add it to the `.mcp.json` of the working directory, and write `servers: [github]`\n"
        ),
        format!(
            "note: {place}:4: `Bash(git *)` is left out: it allows a part of what the tool does, and a card has a tool or not\n"
        ),
        format!(
            "note: {place}:4: `WebFetch` is left out: no built-in tool uses the web: add a server for it to `.mcp.json`, and its name to `servers`\n"
        ),
        format!(
            "note: {place}:5: `model: sonnet` is left out: it is not the name that a provider has for a model: write that, or use `--model`\n"
        ),
        format!("note: {place}:6: `color: red` is left out: cards have no colours\n"),
        "1 card written to `cards`\n".to_owned(),
    ];
    assert_eq!(ran.words, words.concat());
}

#[test]
fn c6_an_agent_in_a_folder_of_agents_is_one_of_claude_code() {
    let agent = "---\nname: a\ndescription: A.\nmodel: sonnet\n---\nA.\n";
    let (plugin, guess) = ("p/agents/a.md", "x/agents/more/a.md");
    let folder = Folder::new(&[
        ("p/.claude-plugin/plugin.json", "{}"),
        (plugin, agent),
        (guess, agent),
        ("x/a.md", agent),
        ("y/agents/b.md", "---\nname: b\ndescription: B.\nservers: [docs]\n---\nB.\n"),
    ]);
    let note = |path| {
        format!(
            "note: {path}:1: the file is read as an agent of Claude Code, because it is in a folder `agents`: `--from` names another program\n"
        )
    };
    assert!(!imported(&folder, &[plugin]).words.contains("because it is in a folder"));
    let ran = imported(&folder, &["--force", guess]);
    assert!(ran.words.contains(&note(guess)), "{}", ran.words);
    let ran = imported(&folder, &["y"]);
    assert!(ran.words.contains("y/agents/b.md:4: the server `docs` is left out"), "{}", ran.words);
    assert!(!ran.words.contains("Claude Code"), "{}", ran.words);
    assert_eq!(folder.run(&["import", "x/a.md"]).code, 1);
}

#[test]
fn c6_a_folder_has_pages_beside_agents_and_no_agent_is_dropped_in_silence() {
    let folder = Folder::new(&[
        ("x/.claude/agents/a.md", "---\nname: a\ndescription: A.\n---\nA.\n"),
        ("x/.claude/agents/_metrics.md", "# Metrics\n"),
        ("x/.claude/skills/brew/SKILL.md", "---\nname: brew\ndescription: Brews tea.\n---\nBoil.\n"),
        ("x/.claude/commands/go.md", "---\ndescription: Goes.\nargument-hint: where\n---\nGo.\n"),
        ("x/.github/agents/README.md", "# Agents\n"),
        ("x/.github/prompts/b.prompt.md", "---\ndescription: B.\ntools: [Read]\n---\nB.\n"),
        ("x/.github/workflows/ci.yml", "name: CI\n"),
        ("x/notes.md", "---\ntitle: Notes\n---\nA.\n"),
    ]);
    let ran = imported(&folder, &["x"]);
    assert_eq!(ran.out, "x/.claude/agents/a.md -> cards/a.md\n");
    assert!(ran.words.contains("note: no agents in 7 files of the folders\n"), "{}", ran.words);

    folder.write("x/c.md", "---\ndescription: C.\n---\nC.\n");
    let ran = folder.run(&["import", "--force", "x"]);
    assert_eq!((ran.code, &*ran.out), (1, "x/.claude/agents/a.md -> cards/a.md\n"), "{ran:?}");
    assert!(
        ran.words.contains("error: x/c.md:1: the fields do not say which program the file belongs to"),
        "{}",
        ran.words
    );
}

#[test]
fn c6_servers_that_the_working_directory_has_stay_with_their_tools() {
    let folder = Folder::new(&[
        (
            ".mcp.json",
            r#"{ "mcpServers": { "github": { "command": "true" }, "docs": { "command": "true" } } }"#,
        ),
        (
            "a.agent.md",
            "---\ndescription: Plans.\ntools: ['edit/editFiles', 'github/search', 'docs', 'usages', 'search']\nmodel: Claude Sonnet 4.5 (copilot)\nhandoffs:\n  - label: Go\n    agent: b\n---\nPlan.\n",
        ),
    ]);
    let ran = imported(&folder, &["a.agent.md"]);
    let card = folder.read("cards/a.md");
    assert!(
        card.contains("servers: \n  - \"docs\"\n  - \"github\"\ntools: \n  \"github\": [\"search\"]\n"),
        "{card}"
    );
    assert!(card.contains("model: \"claude-sonnet-4-5\"\n"), "{card}");
    // `search` stands for tools that read files too.
    assert!(
        card.contains("  - \"filesystem.search\"\n  - \"filesystem.list\"\n  - \"filesystem.read\"\n"),
        "{card}"
    );
    for words in [
        "a.agent.md:3: `usages` is left out: only an editor has it",
        "a.agent.md:4: the model `Claude Sonnet 4.5 (copilot)` is `claude-sonnet-4-5` here",
        "a.agent.md:5: `handoffs` is left out",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
}

#[test]
fn c6_the_name_of_a_server_can_have_a_slash() {
    let folder = Folder::new(&[
        (
            ".mcp.json",
            r#"{ "mcpServers": { "microsoft/ado": { "command": "true" }, "microsoft/docs": { "command": "true" } } }"#,
        ),
        (
            "a.agent.md",
            "---\ndescription: Plans.\ntools: ['microsoft/ado/*', 'microsoft/docs', 'com.microsoft/azure/search', 'ms-python.python/run', \
             'microsoft.docs.mcp/*', 'browser/readPage', 'edit/rename', 'speedy']\n---\nPlan.\n",
        ),
    ]);
    let ran = imported(&folder, &["a.agent.md"]);
    let card = folder.read("cards/a.md");
    assert!(card.contains("servers: \n  - \"microsoft/ado\"\n  - \"microsoft/docs\"\n---\n"), "{card}");
    for words in [
        "a.agent.md:3: the server `com.microsoft/azure` with `search` is left out: add it to the `.mcp.json`",
        "a.agent.md:3: the server `microsoft.docs.mcp` is left out: add it to the `.mcp.json`",
        "a.agent.md:3: `ms-python.python/run` is left out: only an editor has extensions\n",
        "a.agent.md:3: `browser/readPage`, `edit/rename` are left out: there is no such tool here\n",
        "a.agent.md:3: `speedy` is left out: there is no such tool here; if it is a server, add it to the `.mcp.json`",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
}

#[test]
fn c6_an_agent_without_tools_reads_and_changes_nothing() {
    let folder = Folder::new(&[
        ("Release notes.chatmode.md", "Write the notes.\n"),
        ("c.agent.md", "---\nname: c\ndescription: Cooks.\ntools:\n  [read/readFile]\n"),
        (
            ".claude/agents/b.md",
            "---\nname: b\ndescription: B.\ntools: Read, Write\npermissionMode: plan\n---\nB.\n",
        ),
    ]);
    let ran = imported(&folder, &["Release notes.chatmode.md", ".claude/agents/b.md", "c.agent.md"]);
    let runtime = "runtime: \n  - \"filesystem.read\"\n  - \"filesystem.list\"\n  - \"filesystem.search\"\n---\nWrite the notes.\n";
    assert!(folder.read("cards/Release-notes.md").ends_with(runtime));
    assert!(folder.read("cards/b.md").contains("runtime: \n  - \"filesystem.read\"\n---\n"));
    // VS Code reads a file whose fields have no end as fields.
    assert!(folder.read("cards/c.md").ends_with("runtime: \n  - \"filesystem.read\"\n---\nCooks.\n"));
    assert!(
        ran.words
            .contains("Release notes.chatmode.md:1: without `tools`, VS Code gives an agent all its tools"),
        "{}",
        ran.words
    );
    assert!(!ran.words.contains("warning"), "{}", ran.words);
}

#[test]
fn c6_skills_come_along_where_the_working_directory_has_them() {
    let agent = ("a.md", "---\nname: a\ndescription: A.\ntools: Skill\nskills: [brew]\n---\nA.\n");
    let folder = Folder::new(&[agent]);
    let ran = imported(&folder, &["--from", "claude", "a.md"]);
    assert!(!folder.read("cards/a.md").contains("skills.read"));
    assert!(
        ran.words.contains(
            "a.md:4: skills are left out, because the working directory has none of the folders `skills`, "
        ),
        "{}",
        ran.words
    );

    let skill = ("skills/brew/SKILL.md", "---\nname: brew\ndescription: Brews tea.\n---\nBoil.\n");
    let folder = Folder::new(&[agent, skill]);
    let ran = imported(&folder, &["--from", "claude", "a.md"]);
    assert!(folder.read("cards/a.md").contains("runtime: \n  - \"skills.read\"\n"));
    assert!(ran.words.contains("a.md:5: `skills` is `runtime: [skills.read]`"), "{}", ran.words);
}

#[test]
fn c6_agents_of_fast_agent_call_each_other_in_their_order() {
    let folder = Folder::new(&[
        (
            "agent-cards/draft.md",
            "---\nname: first draft\nmodel: o3-mini.low\nshell: true\nuse_history: false\nskills: []\n---\nWrite. It is {{currentDate}}.{{env}}\n",
        ),
        (
            "agent-cards/proof.md",
            "---\ntype: agent\ndescription: Reads proofs.\nrequest_params: { max_iterations: 7, temperature: 0.1, top_k: 3 }\ncwd: ./work\n---\nRead.\n",
        ),
        (
            "agent-cards/post.yaml",
            "type: chain\nname: post!\ndefault: true\nsequence: [first draft, proof]\n",
        ),
        ("agent-cards/all.md", "---\ntype: parallel\nfan_out: [draft]\nfan_in: proof\n---\n"),
    ]);
    let ran = imported(&folder, &["agent-cards"]);
    let post = folder.read("cards/post.md");
    assert!(post.contains("in this order: `agent__first_draft`, `agent__proof`."), "{post}");
    assert!(
        folder
            .read("cards/all.md")
            .contains("Then call `agent__proof` with the request and all their answers")
    );
    let draft = folder.read("cards/first-draft.md");
    assert!(
        draft.starts_with(
            "---\nname: \"first draft\"\ndescription: \"Write.\"\nadd_datetime_to_context: true\n"
        ),
        "{draft}"
    );
    assert!(draft.contains("runtime: \n  - \"shell.execute\"\nmodel: \"o3-mini\"\n"), "{draft}");
    let proof = folder.read("cards/proof.md");
    assert!(proof.contains("request_params: \n  temperature: 0.1\nlimits: \n  turns: 7\n"), "{proof}");
    for words in [
        "agent-cards/post.yaml:1: `type: chain` is an agent with `agents`",
        "agent-cards/post.yaml:2: the name `post!` is `post` here",
        "agent-cards/draft.md:8: `{{env}}` is left out",
        "agent-cards/proof.md:4: `top_k` is left out",
        "agent-cards/proof.md:5: `cwd: ./work` is left out",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
}

#[test]
fn c6_a_card_of_fast_agent_has_the_text_of_a_file_of_the_working_directory() {
    let other = Folder::new(&[("c.md", "Secret.")]);
    let outside = other.path("c.md");
    let up = format!("file_silent:../{}", outside.strip_prefix(std::env::temp_dir()).unwrap().display());
    let absolute = format!("file:{}", outside.display());
    let left = [&*up, &absolute, "file:link.md", "file:.env", "file:gone.md"];
    let places = format!("{{{{{}}}}}", left.join("}}{{"));
    let card = format!("---\nname: a\n---\nA. {{{{file:shared/b.md}}}}{places}\n");
    let folder = Folder::new(&[
        ("agent-cards/a.md", &card),
        ("shared/b.md", "Be {kind}. {{agentName}}"),
        (".env", "KEY=1"),
    ]);
    std::os::unix::fs::symlink(&outside, folder.path("link.md")).unwrap();
    let ran = imported(&folder, &["agent-cards"]);
    let card = folder.read("cards/a.md");
    assert!(card.ends_with("\nA. Be {{kind}}. {{{agentName}}}\n"), "{card}");
    assert!(
        ran.words.contains("a.md:4: `{{file:shared/b.md}}` is the text of the file here\n"),
        "{}",
        ran.words
    );
    assert_eq!(
        ran.words.matches("is left out: write the text of the file").count(),
        left.len(),
        "{}",
        ran.words
    );
}

#[test]
fn c6_the_link_that_closes_a_circle_of_agents_is_left_out() {
    let agent = |name: &str, agents: &str| {
        (
            format!(".github/agents/{name}.agent.md"),
            format!("---\nname: {name}\ndescription: A.\nagents: [{agents}]\n---\nA.\n"),
        )
    };
    let files = [
        agent("build", "plan"),
        agent("empty", ""),
        agent("plan", "build, test, empty, Explore, gone"),
        agent("test", "build, lead"),
        agent("lead", "plan"),
    ];
    let mut files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    files[1].1 = "---\nname: empty\n---\n";
    let folder = Folder::new(&files);
    let ran = folder.run(&["import", ".github/agents"]);
    assert_eq!((ran.code, ran.out.lines().count()), (1, 4), "{ran:?}");
    let checked = folder.run(&["check", "cards"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    // The agent that calls the most others keeps its links.
    let plan = folder.read("cards/plan.md");
    assert!(plan.contains("agents: \n  - \"build\"\n  - \"test\"\n"), "{plan}");
    let circle = "it calls this one, directly or through others, and a circle of agents would have no end";
    for words in [
        format!("build.agent.md:4: the agent `plan` is left out: {circle}\n"),
        format!("lead.agent.md:4: the agent `plan` is left out: {circle}\n"),
        "plan.agent.md:4: the agent `empty` is left out: its file is not imported\n".to_owned(),
        "plan.agent.md:4: the agent `Explore` is left out: it is built into VS Code and has no file\n"
            .to_owned(),
        "plan.agent.md:4: the agent `gone` is left out: import its file in the same command\n".to_owned(),
    ] {
        assert!(ran.words.contains(&words), "{words}: {}", ran.words);
    }
}

#[test]
fn c6_a_file_that_exists_is_replaced_on_request_alone() {
    let folder = Folder::new(&[
        (".claude/agents/a.md", "---\nname: a\ndescription: A.\n---\nA.\n"),
        ("cards/a.md", "mine"),
    ]);
    let ran = folder.run(&["import", ".claude/agents/a.md"]);
    assert_eq!((ran.code, &*ran.out), (1, ""), "{ran:?}");
    assert!(
        ran.words.contains("error: .claude/agents/a.md:2: `cards/a.md` exists: `--force` replaces it\n"),
        "{}",
        ran.words
    );
    assert_eq!(folder.read("cards/a.md"), "mine");
    imported(&folder, &["--force", ".claude/agents/a.md"]);
    assert!(folder.read("cards/a.md").ends_with("\nA.\n"));
    // A card of another file has the name.
    folder.write("cards/b.md", &folder.read("cards/a.md"));
    std::fs::remove_file(folder.path("cards/a.md")).unwrap();
    let ran = folder.run(&["import", ".claude/agents/a.md"]);
    assert!(ran.code == 1 && ran.words.contains("a.md:2: `cards/b.md` has the agent `a` already"), "{ran:?}");
}

#[test]
fn c6_what_is_no_agent_is_refused_at_its_line_and_the_others_are_imported() {
    let folder = Folder::new(&[
        ("x/good.md", "---\nname: good\ndescription: A.\n---\nA.\n"),
        ("x/open.md", "---\nname: open\n"),
        ("x/plain.md", "# Agent\n"),
        ("x/empty.md", "---\nname: empty\n---\n"),
        ("x/name.md", "---\ndescription: A.\nname: good\n---\nA.\n"),
        ("f/vote.md", "---\ntype: MAKER\nworker: a\n---\n"),
        ("f/way.md", "---\ntype: chain\nsequence: [gone]\n---\n"),
        ("f/other.md", "---\ntype: workflow\n---\nA.\n"),
        ("f/page.md", "# Page\n"),
        ("notes.md", "---\ntitle: Notes\n---\nA.\n"),
        ("page.md", "# Page\n"),
        ("open.agent.md", "---\nname: open\nText: all: of it.\n"),
    ]);
    let ran = folder.run(&["import", "--from", "claude", "x"]);
    assert_eq!((ran.code, &*ran.out), (1, "x/good.md -> cards/good.md\n"), "{ran:?}");
    for words in [
        "error: x/open.md:1: the fields have no end",
        "note: no agents in 1 file of the folders",
        "error: x/empty.md:1: the file has no text and no description",
        "error: x/name.md:3: `x/good.md` has the agent `good` already",
        "1 card written to `cards`, 3 not imported\n",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
    let ran = folder.run(&["import", "f", "notes.md", "none.md", "open.agent.md", "page.md"]);
    assert_eq!((ran.code, &*ran.out), (1, ""), "{ran:?}");
    for words in [
        "error: f/vote.md:2: `type: MAKER` is refused: no model counts votes reliably",
        "error: f/way.md:3: the agent `gone` is missing, without which this one does not work: import its file in the same command",
        "note: no agents in 1 file of the folders",
        "error: page.md:1: without fields between two lines `---` it is no agent: begin it with",
        "error: open.agent.md:1: the fields have no end",
        "error: f/other.md:2: there is no agent of the type `workflow`",
        "error: notes.md:1: the fields do not say which program the file belongs to: say it with `--from claude`",
        "error: none.md:1: ",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
    folder.run(&["import"]).failed(&["FILE"]);
    folder.run(&["import", "https://example.com/a.md"]).failed(&["`import` reads files and folders"]);
}

#[test]
fn c6_a_person_is_asked_as_in_the_other_program() {
    let file = |name: &str, fields: &str| {
        (
            format!(".claude/agents/{name}.md"),
            format!("---\nname: {name}\ndescription: A.\ntools: Read, Write, Bash\n{fields}---\nA.\n"),
        )
    };
    let files = [
        file("asks", ""),
        file("edits", "permissionMode: acceptEdits\n"),
        file("free", "permissionMode: bypassPermissions\n"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = Folder::new(&files);
    let ran = imported(&folder, &[".claude/agents"]);
    let approval = |name: &str| {
        let card = folder.read(&format!("cards/{name}.md"));
        card.split_once("approval: ").unwrap().1.split_once("\n---").unwrap().0.to_owned()
    };
    assert_eq!(approval("asks"), "\n  - \"filesystem.write\"\n  - \"shell.execute\"");
    // An entry that names a tool decides for it, so the edits are named.
    let edits = "\n  - { reason: \"\", except: [\"filesystem.read\", \"filesystem.write\"] }";
    assert_eq!(approval("edits"), edits);
    let list = folder.run(&["list"]);
    let asks = |line: &&str| line.contains("runtime, approval");
    let asks = list.out.lines().filter(asks).map(|line| line.split_whitespace().next().unwrap());
    assert_eq!(asks.collect::<Vec<_>>(), ["filesystem_write", "shell_execute", "shell_execute"], "{list:?}");
    assert_eq!(approval("free"), "[]");
    for words in [
        "warning: .claude/agents/edits.md:4: no person is asked before a call of `filesystem.write`\n",
        "warning: .claude/agents/free.md:4: no person is asked before a call of `filesystem.write`, `shell.execute`\n",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
    assert_eq!(ran.words.matches("warning").count(), 2, "{}", ran.words);
}

#[test]
fn c6_a_card_is_written_whole_and_through_no_link() {
    let agent = ".claude/agents/x.md";
    let folder = Folder::new(&[
        (agent, "---\nname: x\ndescription: A.\n---\nA.\n"),
        ("cards/y.md", "y"),
        ("precious", "mine"),
    ]);
    for target in ["../precious", "../created"] {
        std::os::unix::fs::symlink(target, folder.path("cards/x.md")).unwrap();
        let ran = folder.run(&["import", "--force", agent]);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{ran:?}");
        assert!(
            ran.words
                .contains("x.md:2: `cards/x.md` is a link, and a card is not written through it: remove it"),
            "{}",
            ran.words
        );
        std::fs::remove_file(folder.path("cards/x.md")).unwrap();
    }
    assert_eq!(folder.read("precious"), "mine");
    assert!(!folder.path("created").exists());
    // Another name of the file keeps its text, because the card is a new file.
    folder.write("cards/x.md", "old");
    std::fs::hard_link(folder.path("cards/x.md"), folder.path("old")).unwrap();
    folder.run(&["import", "--force", agent]);
    assert!(folder.read("cards/x.md").ends_with("\nA.\n"));
    assert_eq!(folder.read("old"), "old");
    let mode = |name: &str| {
        std::os::unix::fs::PermissionsExt::mode(&folder.path(name).metadata().unwrap().permissions())
    };
    assert_eq!(mode("cards/x.md"), mode("cards/y.md"));
}

#[test]
fn c6_the_name_of_a_file_controls_no_terminal() {
    let folder = Folder::new(&[(
        ".claude/agents/a\u{1b}[2J\nb.md",
        "---\nname: x\ndescription: A.\ncolor: red\n---\nA.\n",
    )]);
    let ran = folder.run(&["import", ".claude/agents", "--out", "o\nut"]);
    let name = ".claude/agents/a\\u{1b}[2J\\nb.md";
    assert_eq!((ran.code, ran.out), (0, format!("{name} -> o\\nut/x.md\n")), "{}", ran.words);
    assert!(ran.words.contains(&format!("note: {name}:4: `color: red` is left out")), "{}", ran.words);
    assert!(ran.words.ends_with("1 card written to `o\\nut`\n"), "{}", ran.words);
}

#[test]
fn c6_what_is_written_passes_check_beside_what_is_there() {
    let folder = Folder::new(&[
        ("cards/mine.md", "---\ndefault: true\n---\nMine.\n"),
        (
            ".mcp.json",
            r#"{"mcpServers": {"far": {"type": "sse", "url": "https://x/sse"}, "off": {"command": "true", "disabled": true}, "git": {"command": "true"}, "sql": {"command": "true"}}}"#,
        ),
        (
            "onionskin-mcp.lock.json",
            r#"{"version": 1, "servers": {"git": {"tools": {"log": {"inputSchema": {}}}}, "sql": {"tools": {"ask": {"inputSchema": {}}}}}}"#,
        ),
        (
            "agent-cards/a.md",
            "---\ndefault: true\nservers: [far, off, git, sql]\ntools: { git: [log, show, gr*], sql: [query] }\n---\nA.\n",
        ),
    ]);
    let ran = imported(&folder, &["agent-cards"]);
    let card = folder.read("cards/a.md");
    assert!(card.contains("servers: \n  - \"git\"\ntools: \n  \"git\": [\"log\"]\n---\n"), "{card}");
    for words in [
        "a.md:2: `default: true` is left out: `cards/mine.md` has it already\n",
        "a.md:3: the server `far` is left out: .mcp.json:1:",
        "`mcpServers.far.type`: the transport `sse` of 2024 is not supported",
        "a.md:3: the server `off` is left out: .mcp.json:1:",
        "a.md:3: the tool `show` is left out: `show` is not a tool of the server `git` in `onionskin-mcp.lock.json`",
        "a.md:3: the tool `gr*` is left out: no tool of the server `git` in `onionskin-mcp.lock.json` matches `gr*`",
        "a.md:3: the tool `query` is left out: ",
        "a.md:3: the server `sql` is left out: the card has none of its tools\n",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
}

#[test]
fn c6_no_tool_that_is_not_allowed_there_is_allowed_here() {
    let servers = r#"{"mcpServers": {"git": {"command": "true"}, "sql": {"command": "true"}}}"#;
    for (fields, left) in [
        (
            "tools: mcp__git__read, mcp__git__delete\ndisallowedTools: mcp__git__delete",
            "tools: \n  \"git\": [\"read\"]",
        ),
        (
            "disallowedTools: mcp__git__delete\ntools: mcp__git__delete, Read",
            "runtime: \n  - \"filesystem.read\"",
        ),
        ("tools: mcp__git, Read\ndisallowedTools: mcp__git__delete", "runtime: \n  - \"filesystem.read\""),
        ("tools: mcp__git, Read\ndisallowedTools: mcp__git", "runtime: \n  - \"filesystem.read\""),
        (
            "tools: mcp__git__a, mcp__sql__b\ndisallowedTools: [mcp__git__*]",
            "servers: \n  - \"sql\"\ntools: \n  \"sql\": [\"b\"]",
        ),
        ("tools: mcp__git__a, Read\ndisallowedTools: mcp__*", "runtime: \n  - \"filesystem.read\""),
        ("tools: Read, git\ndisallowedTools: git", "runtime: \n  - \"filesystem.read\""),
        (
            "tools: Read, Bash, Edit, Grep\ndisallowedTools: Edit(x, Bash",
            "runtime: \n  - \"filesystem.read\"\n  - \"filesystem.search\"",
        ),
        (
            "tools: Read, Bash, Edit, Grep\ndisallowedTools: Edit(x, (y), Bash)",
            "runtime: \n  - \"filesystem.read\"\n  - \"filesystem.search\"",
        ),
        ("tools: Read, Bash, Edit\ndisallowedTools: Edit Bash", "runtime: \n  - \"filesystem.read\""),
        ("tools: Read, Bash, Edit\ndisallowedTools: Bash Edit(x)", "runtime: \n  - \"filesystem.read\""),
        (
            "tools: Read, Bash, Edit\ndisallowedTools: Edit(a, b), Bash(rm *)",
            "runtime: \n  - \"filesystem.read\"",
        ),
        ("tools: Read, Task(a, b)\ndisallowedTools: Task(a)", "runtime: \n  - \"filesystem.read\""),
        ("tools: Bash, mcp__git__a\ndisallowedTools: \"*\"", "description: \"A.\""),
    ] {
        let agent = format!("---\nname: x\ndescription: A.\n{fields}\n---\nA.\n");
        let a = "---\nname: a\ndescription: A.\n---\nA.\n";
        let folder = Folder::new(&[
            (".mcp.json", servers),
            (".claude/agents/x.md", &agent),
            (".claude/agents/a.md", a),
        ]);
        imported(&folder, &[".claude/agents"]);
        let card = folder.read("cards/x.md");
        assert!(card.contains(&format!("{left}\n---\n")), "{fields}: {card}");
    }
    let folder = Folder::new(&[
        (".mcp.json", servers),
        (
            ".claude/agents/x.md",
            "---\nname: x\ndescription: A.\ntools: mcp__git, mcp__sql__a, Bash\ndisallowedTools: mcp__git__delete, mcp__sql, Bash(rm *)\n---\nA.\n",
        ),
    ]);
    let ran = imported(&folder, &[".claude/agents"]);
    for words in [
        "x.md:5: the server `git` is left out: `disallowedTools` forbids a part of its tools, and a card names those that it has: `tools: { git: [..] }`\n",
        "x.md:5: `Bash(rm *)` forbids a part of what the tool does, and a card has a tool or not: this one does not have `shell.execute`\n",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
}

#[test]
fn c6_a_line_that_begins_with_a_word_and_a_colon_is_a_field() {
    let folder = Folder::new(&[(
        ".claude/agents/x.md",
        "---\nname: reviewer\nversion: 1.0\ndescription: Reviews: code\n  and: text\nauthor: Bob\nmodel: claude-haiku-4-5\ntags: a\ntools: Read\nrole: A.\ntools: Bash\n---\nA.\n",
    )]);
    let ran = imported(&folder, &[".claude/agents"]);
    assert_eq!(
        folder.read("cards/reviewer.md"),
        "---\nname: \"reviewer\"\ndescription: \"Reviews: code\\n  and: text\"\nruntime: \n  - \"filesystem.read\"\nmodel: \"claude-haiku-4-5\"\n---\nA.\n"
    );
    for words in [
        "x.md:3: `version` is left out: Claude Code has no such field\n",
        "x.md:6: `author` is left out: Claude Code has no such field\n",
        "x.md:8: `tags` is left out: Claude Code has no such field\n",
        // Cards have this field, and the person decides.
        "x.md:10: `role` is left out: Claude Code has no such field; cards have one: write it into the card if you want it\n",
        "x.md:11: `tools` is left out: the file has the field already\n",
    ] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }

    // A description has examples, and only a field of Claude Code ends it.
    for text in [
        "Reviews: code.\nuser: Done\n\n<example>\ntarget: main\n</example>",
        "Reviews: code.\nuser: A\nuser: B",
    ] {
        let file = format!("---\nname: reviewer\ndescription: {text}\ncolor: red\ntags: a\n---\nA.\n");
        let folder = Folder::new(&[(".claude/agents/x.md", &*file)]);
        let ran = imported(&folder, &[".claude/agents"]);
        let card = folder.read("cards/reviewer.md");
        assert!(card.contains(&format!("description: \"{}\"\n", text.replace('\n', "\\n"))), "{card}");
        assert!(ran.words.contains("`tags` is left out: Claude Code has no such field\n"), "{}", ran.words);
    }

    let folder = Folder::new(&[(".claude/agents/x.md", "---\nname: [a]\ndescription: A.\n---\nA.\n")]);
    let ran = imported(&folder, &[".claude/agents"]);
    assert!(ran.words.contains("x.md:2: `name` is left out: it is not a text\n"), "{}", ran.words);
    assert!(folder.read("cards/x.md").starts_with("---\nname: \"x\"\n"));
}

#[test]
fn c6_braces_of_texts_stay_braces_and_of_descriptions_too() {
    let folder = Folder::new(&[
        ("agent-cards/kid.md", "---\nname: kid\n---\nRead {file} now.\n"),
        ("agent-cards/rates.md", "---\nname: rates\n---\n{{agents}} {{currentDate}}\n"),
        (
            "agent-cards/top.md",
            "---\ntype: evaluator_optimizer\nname: top\ngenerator: kid\nevaluator: rates\nmin_rating: \"{rating}\"\nrefinement_instruction: Use {style}.\n---\n",
        ),
    ]);
    imported(&folder, &["agent-cards"]);
    let kid = folder.read("cards/kid.md");
    assert!(
        kid.contains("description: \"Read {file} now.\"\n") && kid.ends_with("\nRead {{file}} now.\n"),
        "{kid}"
    );
    let top = folder.read("cards/top.md");
    assert!(top.contains("less than {{rating}},") && top.contains("to the call: Use {{style}}."), "{top}");
    // No sentence is without a place, so parents know its name.
    assert!(folder.read("cards/rates.md").contains("description: \"rates\"\n"));
}

#[test]
fn c6_a_folder_is_read_without_the_cards_that_import_wrote_there() {
    let folder = Folder::new(&[(".claude/agents/a.md", "---\nname: a\ndescription: A.\n---\nA.\n")]);
    imported(&folder, &["."]);
    let ran = folder.run(&["import", ".", "--force"]);
    assert_eq!((ran.code, &*ran.out), (0, "./.claude/agents/a.md -> cards/a.md\n"), "{ran:?}");
    assert!(!ran.words.contains("no agents in"), "{}", ran.words);
}
