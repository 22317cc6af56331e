//! Mistakes in arguments and cards.

use crate::folder::{Folder, Ran};

#[test]
fn o1_every_mistake_in_arguments_says_what_to_do() {
    let folder = Folder::adder();
    let fails = |arguments: &[&str], parts: &[&str]| folder.run(arguments).failed(parts);
    Folder::new(&[]).run(&["run", "Hello"]).failed(&[
        "there is no agent: name a card with `--card PATH` or a workflow folder with `--workflow DIR`",
    ]);
    fails(
        &["run", "--card", "cards/adder.md", "--model", "script:script.yaml"],
        &["error: there is no input: write it behind the options, or pipe it to the program"],
    );
    fails(&["runn"], &["unrecognized subcommand 'runn'", "'run'"]);
    fails(&["rnu"], &["unrecognized subcommand 'rnu'", "\nthere is a command `run`\n"]);
    fails(&["run", "--card", "no.md", "Hello"], &["no.md"]);
    let card = ["run", "--card", "cards/adder.md"];
    let fails = |arguments: &[&str], parts: &[&str]| {
        folder.run(&card.iter().chain(arguments).copied().collect::<Vec<_>>()).failed(parts);
    };
    fails(
        &["--model", "script:script.yaml", "--base-url", "http://127.0.0.1:1", "Hello"],
        &["a script asks no server: remove `--base-url` or `--model`"],
    );
    fails(
        &["--base-url", "localhost:8080", "Hello"],
        &["`--base-url` is an address such as `http://127.0.0.1:8080/v1`"],
    );
    fails(&["--api-key-env", "KEY", "Hello"], &["--base-url"]);
    fails(&["--model", "script:no.yaml", "Hello"], &["no.yaml"]);
    folder.write("wrong.yaml", "adder:\n  - sya: Hello\n");
    fails(&["--model", "script:wrong.yaml", "Hello"], &["wrong.yaml:2:5", "say"]);
    fails(&["--config", "no.json", "Hello"], &["cannot read `no.json`"]);
    // No key, and no request.
    let ran = folder.run(&[&card[..], &["--model", "gpt-4o-mini", "Hello"]].concat());
    ran.failed(&["set the environment variable OPENAI_API_KEY\n"]);
    // No function of Rust is of use here.
    assert!(!ran.words.contains("(..)"), "{ran:?}");
    fails(&["--base-url", "http://127.0.0.1:1/v1", "Hello"], &["the agent `adder` has no model"]);
}

#[test]
fn a14_a_field_of_a_card_without_its_text_is_an_error_for_its_writer() {
    let folder = Folder::new(&[
        ("cards/a.md", "---\nadd_memories_to_context: true\n---\nA.\n"),
        ("script.yaml", "a:\n  - say: Hello.\n"),
    ]);
    let words = "error: the agent `a` has `add_memories_to_context: true`, and the program has no text for it: remove the field, or run the \
                 agent in a program whose `setup` sets one\n";
    let ran = folder.run(&["run", "--model", "script:script.yaml", "Hello"]);
    assert_eq!((ran.code, &*ran.words), (2, words));
    let checked = folder.run(&["check"]);
    assert_eq!((checked.code, &*checked.out), (1, words));
}

#[test]
fn o1_a_name_of_no_provider_is_no_model() {
    let folder = Folder::adder();
    let words = "the name `wibble` says no provider: write `PROVIDER::wibble`, such as `ollama::wibble`";
    folder.run(&["run", "--card", "cards/adder.md", "--model", "wibble", "Hello"]).failed(&[words]);
    folder.write("cards/a.md", "---\nmodel: inherit\n---\nA.\n");
    folder.write("cards/b.md", "---\nmodel: sonnet\n---\nB.\n");
    folder.write("cards/c.md", "---\nmodel: ollama::wibble\n---\nC.\n");
    let ran = folder.run(&["check"]);
    assert_eq!((ran.code, &*ran.words), (1, "checked 1 path of cards: 2 problems\n"), "{ran:?}");
    for part in
        ["error: `inherit` is no model: remove `model`", " --> cards/a.md:2:8", "such as `claude-sonnet-"]
    {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    // A server of one's own can have any names.
    folder.write("onionskin.toml", "base_url = \"http://127.0.0.1:1/v1\"\n");
    assert_eq!(folder.run(&["check"]).code, 0);
}

#[test]
fn o1_a_model_that_cannot_be_reached_is_named() {
    let folder = Folder::adder();
    let run = |arguments: &[&str]| folder.run(&[&["run", "--card", "cards/adder.md"], arguments].concat());
    run(&["--model", "script.yaml", "Hello"])
        .failed(&["error: `script.yaml` is a file: for a scripted model write `--model script:script.yaml`"]);
    run(&["--model", "scrpt:x.yaml", "Hello"]).failed(&["write `--model script:x.yaml`"]);
    // A port at which nothing listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/v1");
    let words = format!("the model is `qwen3`, at the server `127.0.0.1:{port}` of `--base-url`");
    run(&["--model", "qwen3", "--base-url", &url, "Hello"]).failed(&["could not be reached", &words]);
    let mut chat =
        folder.command(&["chat", "--card", "cards/adder.md", "--model", "qwen3", "--base-url", &url]);
    folder.write("hello", "Hello\n");
    let hello = std::fs::File::open(folder.path("hello")).unwrap();
    let ran = Ran::new(chat.stdin(hello).output().unwrap());
    assert!(ran.code == 2 && ran.words.contains(&words), "{ran:?}");
}

#[test]
fn o1_a_card_without_its_option_is_named() {
    let folder = Folder::adder();
    folder.write("flows/Intake/orchestrator.json", "{}");
    for arguments in [&["run", "cards/adder.md", "Hello"][..], &["list", "cards/adder.md"]] {
        folder
            .run(arguments)
            .failed(&["unexpected argument", "\nname a card with `--card cards/adder.md`\n"]);
    }
    folder
        .run(&["run", "flows/Intake", "Hello"])
        .failed(&["\nname a workflow folder with `--workflow flows/Intake`\n"]);
    for arguments in [&["run", "cards/no.md", "Hello"][..], &["new", "cards/adder.md", "x"]] {
        let ran = folder.run(arguments);
        ran.failed(&["unexpected argument"]);
        assert!(!ran.words.contains("name a "), "{ran:?}");
    }
    folder.run(&["new", "../demo"]).failed(&["it has to begin with a letter from `a` to `z`"]);
}

#[test]
fn o1_rust_in_a_card_needs_a_program() {
    let folder = Folder::new(&[
        (
            "cards/adder.md",
            "---\nfunction_tools: [tools.rs:add_one]\ntool_hooks: [hooks.rs:audit]\n---\nDo sums.\n",
        ),
        ("cards/tools.rs", ""),
        ("cards/hooks.rs", ""),
    ]);
    for command in ["list", "docs"] {
        folder.run(&[command, "--card", "cards"]).failed(&[
            "`tools.rs:add_one` is Rust",
            "`hooks.rs:audit` is Rust",
            "onionskin::main!",
            "cards/adder.md:2:18",
        ]);
    }
}

#[test]
fn o1_names_in_errors_control_no_terminal() {
    let folder =
        Folder::new(&[(".mcp.json", r#"{"mcpServers": {"a\u001b[31mb": {"command": "/no/such"}}}"#)]);
    for arguments in [&["mcp", "list"][..], &["mcp", "list", "\u{1b}[31m"], &["\u{1b}[31m"]] {
        let ran = folder.run(arguments);
        ran.failed(&["\\u{1b}[31m"]);
        assert!(!ran.words.contains('\u{1b}'), "{}", ran.words);
    }
}

#[test]
fn o1_an_agent_without_a_model_names_the_option() {
    let folder = Folder::new(&[
        ("a.md", "---\n---\nBe short.\n"),
        ("b.md", "---\nmodel: gpt-4o-mini\n---\nBe short.\n"),
    ]);
    folder.run(&["run", "--card", "a.md", "Hello"]).failed(&[
        "the agent `a` has no model",
        "write `model: NAME` in its card, or give all agents one with `--model NAME`",
    ]);
    folder.run(&["run", "--card", "b.md", "Hello"]).failed(&["OPENAI_API_KEY"]);
}

#[test]
fn o1_an_address_with_a_key_is_refused_and_not_shown() {
    let folder = Folder::adder();
    for (url, part) in [
        ("http://me:hunter2@127.0.0.1:1/v1", "a user or a password"),
        ("http://127.0.0.1:1/v1?key=hunter2", "remove the part that begins with `?`"),
        ("http://hunter2 :x/", "is an address such as"),
        ("ftp://hunter2", "is an address such as"),
    ] {
        let ran = folder.run(&[
            "run",
            "--card",
            "cards/adder.md",
            "--model",
            "gpt-4o-mini",
            "--base-url",
            url,
            "Hello.",
        ]);
        ran.failed(&["error: `--base-url`", part]);
        assert!(!ran.words.contains("hunter2"), "{}", ran.words);
    }
}

#[test]
fn o1_a_script_is_a_file_of_a_bounded_size() {
    let folder = Folder::adder();
    folder.write("big.yaml", &"#".repeat((8 << 20) + 1));
    for (script, part) in [
        ("script:big.yaml", "has more than 8 MiB"),
        ("script:/dev/zero", "not a file"),
        ("script:cards", "not a file"),
    ] {
        folder
            .run(&["run", "--card", "cards/adder.md", "--model", script, "Hello."])
            .failed(&[&script[7..], part]);
    }
}

#[test]
fn o1_a_card_of_an_address_is_saved_first() {
    let folder = Folder::adder();
    let saved = "error: `check` reads files and folders, not addresses: save them first\n";
    let allowed = "error: `--card` reads files and folders: `--allow-urls` lets it read addresses too\n";
    for arguments in [&["run", "--card"][..], &["list", "--card", "cards", "--card"], &["check"]] {
        let ran = folder.run(&[arguments, &["https://example.com/adder.md?key=hunter2"]].concat());
        let (code, shown, words) =
            if arguments == ["check"] { (1, &ran.out, saved) } else { (2, &ran.words, allowed) };
        assert_eq!((ran.code, &**shown), (code, words));
        assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    }
    for arguments in [&["run", "--workflow"][..], &["migrate"], &["run", "--card", "cards", "--config"]] {
        let ran = folder.run(&[arguments, &["https://example.com/adder.md?key=hunter2"]].concat());
        assert!(ran.code == 2 && ran.words.contains("not addresses"), "{ran:?}");
        assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    }
    // What is allowed comes over HTTPS.
    let http = folder.run(&["list", "--allow-urls", "--card", "http://example.com/adder.md?key=hunter2"]);
    http.failed(&["others could change what comes over plain HTTP: use `https`"]);
    assert!(!format!("{http:?}").contains("hunter2"), "{http:?}");
    folder.run(&["run", "--card", "cards", "--model", " ", "Hello."]).failed(&["`--model` is empty"]);
}
