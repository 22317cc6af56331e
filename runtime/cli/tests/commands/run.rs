//! `run`.

use std::fs;

use serde_json::Value;

use crate::folder::{Folder, PAINT, Ran};

const RUN: [&str; 5] = ["run", "--card", "cards/adder.md", "--model", "script:script.yaml"];

fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    RUN.iter().chain(arguments).copied().collect()
}

#[test]
fn o1_run_prints_the_answer() {
    let folder = Folder::adder();
    let ran = folder.run(&with(&["What is 41 + 1?"]));
    assert_eq!((ran.code, &*ran.out, &*ran.words), (0, "It is 42.\n", ""));
    // The folder has one card, so it is the agent.
    let ran = folder.run(&["run", "--agent-cards", "cards", "--model", "script:script.yaml", "What?"]);
    assert_eq!((ran.code, &*ran.out), (0, "It is 42.\n"), "{ran:?}");
}

/// A command is not given the keys of the program. It may still read them from the process that started it.
#[cfg(feature = "shell")]
#[test]
fn t8_keys_of_the_environment_are_in_no_output() {
    let folder = Folder::new(&[
        ("clerk.md", "---\nruntime: [shell.execute]\napproval: []\n---\nRun it.\n"),
        (
            "script.yaml",
            "clerk:\n  - calls: [{ tool: shell_execute, args: { command: \"cat /proc/$PPID/environ | tr '\\\\0' '\\\\n'; echo done\" } }]\n  - say: \"{last}\"\n",
        ),
    ]);
    let key = "sk-0123456789-abcdef";
    for more in [&[][..], &["--json"]] {
        let mut command = folder.command(
            &[&["run", "--card", "clerk.md", "--model", "script:script.yaml"], more, &["Go."]].concat(),
        );
        let ran = Ran::new(command.env("ACME_API_KEY", key).output().unwrap());
        assert!(ran.code == 0 && ran.out.contains("done"), "{ran:?}");
        assert!(!ran.out.contains(key) && !ran.words.contains(key), "{ran:?}");
    }
}

/// A person who did not read the card is asked before a command changes something.
#[cfg(feature = "shell")]
#[test]
fn a14_commands_of_cards_are_asked_for_unless_the_card_or_an_option_says_otherwise() {
    let card = |more: &str| format!("---\nruntime: [shell.execute, filesystem.list]\n{more}---\nRun it.\n");
    let folder = Folder::new(&[
        ("clerk.md", &card("")),
        (
            "script.yaml",
            "clerk:\n  - calls:\n      - { tool: filesystem_list, args: {} }\n      - { tool: shell_execute, args: { command: \"echo made > made.txt\" } }\n  - say: \"{last}\"\n",
        ),
    ]);
    let run = ["run", "--card", "clerk.md", "--model", "script:script.yaml", "Go."];
    folder.run(&run).failed(&[
        "error: the run has ended without an answer of the agent, because this question was not answered:",
        "  clerk: shell.execute {\"command\":\"echo made > made.txt\"}: may this call run?",
        "Calls of these tools had run: `filesystem.list`. To run it anew, answer it in a terminal, or allow the calls with `--yes`",
    ]);
    assert!(!folder.path("made.txt").exists());
    let ran = folder.run(&[&run[..], &["--yes"]].concat());
    assert_eq!((ran.code, folder.path("made.txt").exists()), (0, true), "{ran:?}");

    folder.write("clerk.md", &card("approval: []\n"));
    assert_eq!(folder.run(&run).code, 0);
    folder.write("clerk.md", &card("approval: [{ reason: It lists., for: [filesystem.*] }]\n"));
    let ran = folder.run(&run);
    assert!(ran.words.contains("  clerk: filesystem.list {}: It lists.\n"), "{ran:?}");
    // The entry does not name this one.
    assert!(ran.words.contains("  clerk: shell.execute {"), "{ran:?}");
}

#[test]
fn o1_the_input_comes_from_a_pipe() {
    let folder = Folder::adder();
    folder.write("script.yaml", "adder:\n  - say: \"I heard [{input}]\"\n");
    assert_eq!(folder.pipe("Grüße\nan alle\n".as_bytes(), &with(&[])).out, "I heard [Grüße\nan alle]\n");
    assert_eq!(folder.pipe(b"one", &with(&["-"])).out, "I heard [one]\n");
    assert_eq!(folder.pipe(b"one", &with(&["two"])).out, "I heard [two]\n");
    folder.pipe(b" \n", &with(&[])).failed(&["error: the input is empty"]);
    folder.pipe(b"\xff", &with(&[])).failed(&["error: the input is not text in UTF-8"]);
    folder
        .pipe(&vec![b'a'; (8 << 20) + 1], &with(&[]))
        .failed(&["error: the input has more than 8388608 bytes"]);
}

#[test]
fn a6_root_is_the_folder_of_the_file_tools() {
    let folder = Folder::new(&[
        ("clerk.md", "---\nruntime: [filesystem.read]\n---\nRead.\n"),
        ("notes/cake.md", "Plum."),
        (
            "script.yaml",
            "clerk:\n  - calls: [{ tool: filesystem_read, args: { path: \"{input}\" } }]\n  - say: \"{last}\"\n",
        ),
    ]);
    let run = |options: &[&str], path: &str| {
        let all = ["run", "--card", "clerk.md", "--model", "script:script.yaml", path];
        folder.run(&[&all, options].concat())
    };
    assert_eq!(run(&["--root", "notes"], "cake.md").out, "Plum.\n");
    for outside in ["../clerk.md", "clerk.md"] {
        let ran = run(&["--root", "notes"], outside);
        assert!(!ran.out.contains("Read."), "{ran:?}");
    }
    assert!(run(&[], "clerk.md").out.contains("Read."));
    folder.write("none.md", "---\n---\nRest.\n");
    let ran = folder.run(&["list", "--card", "none.md", "--root", "notes"]);
    assert!(ran.code == 2 && ran.words.contains("`--root` is for the tools `filesystem.*`"), "{ran:?}");
    let ran = run(&["--root", "nowhere"], "cake.md");
    assert!(ran.code == 2 && ran.words.contains("`nowhere`"), "{ran:?}");
}

#[test]
fn o1_events_are_lines_of_json() {
    let folder = Folder::adder();
    let ran = folder.run(&with(&["--json", "What is 41 + 1?"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"]["type"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], *kinds.last().unwrap()), ("run_started", "run_finished"));
    let call = events.iter().find(|event| event["kind"]["type"] == "tool_finished").unwrap();
    assert_eq!((&call["agent"], &call["kind"]["tool"]), (&"adder".into(), &"add_one".into()));
    assert_eq!(events.last().unwrap()["kind"]["text"], "It is 42.");
}

#[test]
fn o1_verbose_shows_calls_beside_the_answer() {
    let ran = Folder::adder().run(&with(&["-v", "What is 41 + 1?"]));
    assert_eq!(ran.out, "It is 42.\n");
    assert!(ran.words.contains("adder calls add_one {\"x\":41}\nadder got add_one: ok ("), "{}", ran.words);
}

#[test]
fn o1_verbose_shows_what_hooks_and_scripts_log() {
    let folder = Folder::new(&[
        (
            "desk.md",
            "---\nfunction_tools: [tools.rhai:add]\ntool_hooks: [hooks.rhai:audit, \"::onionskin::hooks::log\", \"::onionskin::hooks::timing\"]\n---\nAdd.\n",
        ),
        ("tools.rhai", "/// Adds.\nfn add() { print(\"adding \\x1b[31m\"); 1 }\n"),
        ("hooks.rhai", "fn audit(ctx, args) { debug(ctx.tool_name); call_next(args) }\n"),
        ("script.yaml", "desk:\n  - calls: [{ tool: add, args: {} }]\n  - say: Done.\n"),
    ]);
    let run = |more: &[&str]| {
        folder.run(&[&["run", "--card", "desk.md", "--model", "script:script.yaml", "Add."], more].concat())
    };
    let shown = run(&["-v"]).words;
    for line in [
        "INFO adding \\x1b[31m function=\"add\"",
        "INFO \"add\" function=\"audit\"",
        "DEBUG tool call timed agent=\"desk\" tool=\"add\" elapsed=",
        "DEBUG tool call succeeded agent=\"desk\" tool=\"add\"",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(run(&[]).words, "");
    let chat = ["chat", "-v", "--card", "desk.md", "--model", "script:script.yaml"];
    let ran = folder.pipe(b"Add.\n", &chat);
    assert!(ran.words.contains("INFO \"add\" function=\"audit\"") && !ran.out.contains("INFO"), "{ran:?}");
}

#[test]
fn o1_verbose_says_why_a_call_failed() {
    let folder = Folder::new(&[
        (
            "desk.md",
            "---\nfunction_tools: [tools.rhai:refund]\nruntime: [shell.execute]\napproval: []\nlimits: { tool_calls: 3 }\n---\nServe.\n",
        ),
        (
            "tools.rhai",
            "/// Refunds.\n/// Args:\n///     euros (int): How many.\nfn refund(euros) {\n    if euros > 50 { throw \"more than 50 euros\\nneeds the owner\" }\n    euros\n}\n",
        ),
        (
            "script.yaml",
            r#"
desk:
  - calls: [{ tool: refund, args: { euros: 60 } }]
  - calls: [{ tool: refund, args: { euros: many } }]
  - calls: [{ tool: shell_execute, args: { command: "echo no >&2; exit 3" } }]
  - calls: [{ tool: refund, args: { euros: 5 } }]
  - say: Done.
"#,
        ),
    ]);
    let ran = folder.run(&["run", "-v", "--card", "desk.md", "--model", "script:script.yaml", "Refund."]);
    let got: Vec<_> = ran.words.lines().filter(|line| line.starts_with("desk got ")).collect();
    assert_eq!((ran.code, got.len()), (0, 4), "{ran:?}");
    assert!(got[0].contains(": more than 50 euros needs the owner ("), "{}", got[0]);
    for (line, words) in got.iter().zip([
        "refund: failed: ",
        "refund: wrong arguments: ",
        "shell.execute: ",
        "refund: reached a limit: ",
    ]) {
        assert!(line.strip_prefix("desk got ").is_some_and(|line| line.starts_with(words)), "{line}");
        assert!(line.ends_with(" ms)") || line.ends_with(" s)"), "{line}");
    }
}

#[test]
fn o1_a_question_without_a_person_stays_open_and_is_named() {
    let folder = Folder::asker(
        "",
        "  - calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"{last}\"\n",
    );
    folder.run(&PAINT).failed(&[
        "this question was not answered:\n  asker: Which colour?\nNo call had run. To run it anew, answer it in a terminal\n",
    ]);
    // The text of a pipe does not answer a question if the input is an argument.
    folder.pipe(b"red\n", &PAINT).failed(&["this question was not answered"]);
}

#[test]
fn o1_the_agent_is_the_one_that_is_named_or_the_default() {
    let folder = Folder::new(&[
        ("cards/a.md", "---\nname: A\n---\nBe A.\n"),
        ("cards/b.md", "---\nname: Bee\n---\nBe B.\n"),
        ("script.yaml", "\"*\":\n  - say: \"{input}, says {agent}\"\n"),
        ("one.yaml", "A: [{ say: A }]\nBee: [{ say: B }]\n"),
    ]);
    let run = |arguments: &[&str]| {
        let all = ["run", "--card", "cards", "--model", "script:one.yaml"];
        folder.run(&all.iter().chain(arguments).copied().collect::<Vec<_>>())
    };
    run(&["Who?"]).failed(&["error: which agent? Name it with `--agent`; there are `A`, `Bee`"]);
    assert_eq!(run(&["--agent", "Bee", "Who?"]).out, "B\n");
    run(&["--agent", "Beee", "Who?"]).failed(&["there is no agent `Beee`; did you mean `Bee`?"]);
    run(&["--agent", "Zoo", "Who?"]).failed(&["there is no agent `Zoo`; there are `A`, `Bee`"]);
    folder.write("cards/a.md", "---\nname: A\ndefault: true\n---\nBe A.\n");
    assert_eq!(run(&["Who?"]).out, "A\n");
}

#[test]
fn o1_a_card_finds_its_children_beside_it() {
    let folder = Folder::new(&[
        ("cards/desk.md", "---\nagents: [helper]\n---\nServe.\n"),
        ("cards/helper.md", "---\ndescription: Helps.\nagents: [clerk]\ndefault: true\n---\nHelp.\n"),
        ("cards/clerk.md", "---\ndescription: Notes.\n---\nNote.\n"),
        // Nothing needs it.
        ("cards/other.md", "---\nagnts: [helper]\n---\nOther.\n"),
        (
            "script.yaml",
            r#"
desk:
  - calls: [{ tool: agent__helper, args: { input: "Look." } }]
  - say: "The desk: {last}"
helper:
  - calls: [{ tool: agent__clerk, args: { input: "Note." } }]
  - say: "the helper: {last}"
clerk:
  - say: noted
"#,
        ),
    ]);
    let arguments = ["run", "--card", "cards/desk.md", "--model", "script:script.yaml", "Hello."];
    let ran = folder.run(&arguments);
    assert_eq!((ran.code, &*ran.out), (0, "The desk: the helper: noted\n"), "{}", ran.words);
    assert_eq!(folder.run(&["check", "cards/desk.md"]).code, 0);
    // A path that is given wins over a card beside the first one.
    folder.write("others/helper.md", "---\ndescription: Helps.\n---\nHelp.\n");
    folder.write("short.yaml", "desk:\n  - calls: [{ tool: agent__helper, args: { input: Look. } }]\n  - say: \"{last}\"\nhelper:\n  - say: the other\n");
    let ran = folder.run(&[
        "run",
        "--card",
        "cards/desk.md",
        "--card",
        "others/helper.md",
        "--agent",
        "desk",
        "--model",
        "script:short.yaml",
        "Hello.",
    ]);
    assert_eq!((ran.code, &*ran.out), (0, "the other\n"), "{}", ran.words);
    // In the folder of the card itself.
    let mut command = folder.command(&["list", "--card", "desk.md"]);
    let ran = Ran::new(command.current_dir(folder.path("cards")).output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.words);
}

#[test]
fn o1_the_folder_of_cards_is_the_default() {
    let folder = Folder::adder();
    let ran = folder.run(&["run", "--model", "script:script.yaml", "What is 41 + 1?"]);
    assert_eq!((ran.code, &*ran.out, &*ran.words), (0, "It is 42.\n", ""));
    let shown = folder.run(&["list"]);
    assert!(shown.code == 0 && shown.out.starts_with("adder: Adds numbers.\n"), "{shown:?}");
    assert_eq!(folder.pipe(b"What?\n", &["chat", "--model", "script:script.yaml"]).code, 0);
}

#[test]
fn o1_a_script_in_the_place_of_a_card_is_named_as_a_model() {
    let folder = Folder::adder();
    folder.run(&["run", "--card", "script.yaml", "What?"]).failed(&[
        "error: `script.yaml` is a script in place of a model, and no card: name it with `--model script:script.yaml`\n",
    ]);
}

#[test]
fn h9_spill_of_a_card_has_a_folder_that_is_removed_at_the_end() {
    let folder = Folder::new(&[
        (
            "desk.md",
            "---\nfunction_tools: [tools.rhai:rows]\ntool_hooks: [{ hook: \"::onionskin::hooks::spill\", with: [256] }]\n---\nLook.\n",
        ),
        (
            "tools.rhai",
            "/// Gives rows.\nfn rows() { let all = \"\"; for n in 0..200 { all += `row ${n}\\n`; } all }\n",
        ),
        ("script.yaml", "desk:\n  - calls: [{ tool: rows, args: {} }]\n  - say: \"{last}\"\n"),
        ("tmp/empty", ""),
    ]);
    assert_eq!(folder.run(&["check", "desk.md"]).code, 0);
    for arguments in [&["run", "Look."][..], &["chat"]] {
        let mut command =
            folder.command(&[arguments, &["--card", "desk.md", "--model", "script:script.yaml"]].concat());
        fs::write(folder.path("input"), "Look.\n").unwrap();
        command.stdin(fs::File::open(folder.path("input")).unwrap());
        let ran = Ran::new(command.env("TMPDIR", folder.path("tmp")).output().unwrap());
        assert!(ran.code == 0 && ran.out.contains("read it with `read_spilled`"), "{ran:?}");
        assert_eq!(fs::read_dir(folder.path("tmp")).unwrap().count(), 1, "{arguments:?}");
    }
    // The words for a folder that cannot be made are for people who do not write Rust.
    let mut command = folder.command(&["run", "--card", "desk.md", "--model", "script:script.yaml", "Look."]);
    let ran = Ran::new(command.env("TMPDIR", folder.path("nowhere")).output().unwrap());
    ran.failed(&["error: there is no folder for the files of `spill`: "]);
    // Agents without the hook need none.
    folder.write("plain.md", "---\n---\nRest.\n");
    let mut command = folder.command(&["list", "--card", "plain.md"]);
    assert!(command.env("TMPDIR", folder.path("nowhere")).status().unwrap().success());
}

#[cfg(feature = "genai")]
#[test]
fn a4_parameters_that_the_model_of_a_card_does_not_support_are_refused_before_the_run() {
    let folder = Folder::new(&[(
        "desk.md",
        "---\nmodel: claude-haiku-4-5\nrequest_params:\n  temperature: 0.2\n  seed: 7\n---\nHelp.\n",
    )]);
    let sentence = "the model does not support `seed`: the protocol `anthropic` has no form for it; remove it from the request parameters, or \
                    use another model";
    let ran = folder.run(&["check", "--json", "desk.md"]);
    let problems: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        problems,
        serde_json::json!([
            { "level": "error", "file": "desk.md", "line": 5, "column": 3, "message": sentence }
        ])
    );
    let mut command = folder.command(&["run", "--card", "desk.md", "Hello."]);
    let ran = Ran::new(command.env("ANTHROPIC_API_KEY", "none").output().unwrap());
    ran.failed(&["error: the request parameters of the agent `desk` cannot be used: ", sentence]);
    // Another model is asked in its place.
    folder.write("script.yaml", "desk:\n  - say: Done.\n");
    let scripted = ["run", "--card", "desk.md", "--model", "script:script.yaml", "Hello."];
    assert_eq!(folder.run(&scripted).code, 0);
    // What asks nothing of a model, or what this one supports.
    folder.write(
        "desk.md",
        "---\nmodel: ollama::llama3\nrequest_params: { seed: 7, tool_choice: auto, stop_sequences: [END] }\n---\nHelp.\n",
    );
    assert_eq!(folder.run(&["check", "desk.md"]).code, 0);
    // An agent without a model has that of the settings.
    folder.write("onionskin.toml", "model = \"claude-haiku-4-5\"\n");
    folder.write("desk.md", "---\nrequest_params: { seed: 7 }\n---\nHelp.\n");
    let ran = folder.run(&["check", "desk.md"]);
    assert!(ran.code == 1 && ran.out.contains(sentence), "{ran:?}");
}
