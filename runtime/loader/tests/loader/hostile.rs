//! Any card is loaded, or its mistakes have places.

use std::fs;
use std::time::{Duration, Instant};

use onionskin::App;
use onionskin::ScriptedModel;
use onionskin::loader::{CardLoader, Registry};
use proptest::prelude::*;

use super::folder;
use super::parts::{add_one, at_most, mark};

const DESK: &str = "---
role: A clerk.
servers: []
function_tools: [tools.rs:add_one]
agents: [office]
tool_hooks:
  - { hook: hooks.rs:mark, with: [x], for: [add_one, office] }
  - ..
  - { hook: \"::onionskin::hooks::retry\", with: [3], except: [source(mcp)] }
turn_hooks:
  before_llm_call: { hook: hooks.rs:at_most, with: [3] }
default: true
request_params: { temperature: 1, max_tokens: 100, stop_sequences: [END], extra_body: { a: [1] } }
limits: { turns: 3, time_sec: 2.5 }
history_source: child
max_parallel: 2
child_timeout_sec: 1.5
effect: once
---
Answer {well}.
";

const OFFICE: &str = "description: Works.\ninstruction: Work.\n";

fn registry() -> Registry {
    Registry::new()
        .file("tools.rs", |items| items.tool::<add_one>())
        .file("hooks.rs", |items| items.tool_hook::<mark>().turn_hook::<at_most>())
}

/// Loads a card, and builds its agents if it has no mistakes.
fn any(card: &str) -> Result<(), TestCaseError> {
    let folder = folder(&[("desk.md", card), ("office.yaml", OFFICE)]);
    match CardLoader::new(registry()).base(folder.path()).load(["."]) {
        Ok(cards) => {
            let app = cards.add_to(App::builder()).model(ScriptedModel::turns([])).build();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            if let Err(error) = runtime.block_on(app) {
                prop_assert!(!error.to_string().contains("panicked"), "{}", error);
            }
        }
        Err(error) => {
            prop_assert!(!error.mistakes().is_empty() && !error.to_string().is_empty());
            prop_assert!(error.mistakes().iter().all(|mistake| mistake.line > 0 && mistake.column > 0));
        }
    }
    Ok(())
}

#[test]
fn c3_the_card_of_these_tests_is_loaded() {
    let folder = folder(&[("desk.md", DESK), ("office.yaml", OFFICE)]);
    let cards = CardLoader::new(registry()).base(folder.path()).load(["."]).unwrap();
    assert_eq!(cards.agents().len(), 2);
}

/// The only mistake of a card beside what is not a file of text.
fn refused(folder: &std::path::Path, card: &str) -> String {
    let begin = Instant::now();
    let error = CardLoader::new(registry()).base(folder).load([card]).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let [mistake] = error.mistakes() else { panic!("{error}") };
    assert!(mistake.line == 1 && mistake.column > 0);
    mistake.to_string()
}

#[test]
#[cfg(unix)]
fn c3_what_is_no_text_or_has_no_end_is_refused_without_reading_it() {
    let folder = folder(&[]);
    let path = folder.path();
    let made =
        std::process::Command::new("mkfifo").args([path.join("pipe.md"), path.join("t.rhai")]).status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", path.join("zero.md")).unwrap();
    std::os::unix::fs::symlink("round.md", path.join("round.md")).unwrap();
    fs::create_dir(path.join("folder.md")).unwrap();
    let large = fs::File::create(path.join("large.md")).unwrap();
    large.set_len(2 << 30).unwrap();
    fs::write(path.join("latin.md"), b"---\n---\nGr\xfc\xdfe.\n").unwrap();
    fs::write(path.join("zeros.yaml"), [0; 100]).unwrap();
    fs::write(path.join("scripts.yaml"), "instruction: A. # \u{1F600}\nfunction_tools: [t.rhai:x]\n")
        .unwrap();
    for (card, said) in [
        ("pipe.md", "pipe.md:1:1: this is not a file"),
        ("zero.md", "zero.md:1:1: this is not a file"),
        ("round.md", "round.md:1:1: "),
        ("folder.md", "folder.md:1:1: the folder has no cards"),
        ("large.md", "large.md:1:1: a file must have at most 1048576 bytes; this one has more"),
        ("latin.md", "latin.md:1:1: the file is not UTF-8: the byte at 10"),
        ("zeros.yaml", "zeros.yaml:1:1: "),
        ("gone.md", "gone.md:1:1: there is no file or folder `gone.md`"),
    ] {
        let found = refused(path, card);
        assert!(found.starts_with(said), "{found}");
    }
    let error = CardLoader::new(registry()).base(path).load(["scripts.yaml"]).unwrap_err();
    assert_eq!((error.mistakes().len(), error.mistakes()[0].line), (1, 2), "{error}");
}

#[test]
fn c3_deep_and_wide_yaml_is_refused_in_time() {
    let depth = 100_000;
    let deep = format!(
        "instruction: A.\nrequest_params: {{ extra_body: {}1{} }}\n",
        "[".repeat(depth),
        "]".repeat(depth)
    );
    let anchors: String = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, at| {
        format!("{text}a{at}: &a{at} [*a{}, *a{}]\n", at - 1, at - 1)
    });
    let wide = format!("instruction: A.\nservers: [{}]\n", "x, ".repeat(200_000));
    for card in [deep, anchors, wide] {
        let begin = Instant::now();
        let folder = folder(&[("a.yaml", &card)]);
        let error = CardLoader::new(registry()).base(folder.path()).load(["a.yaml"]).unwrap_err();
        assert!(error.mistakes().iter().all(|mistake| mistake.line > 0 && mistake.column > 0));
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c3_any_change_of_a_card_is_loaded_or_is_a_mistake(
        field in 0..DESK.lines().count(), at in 0_usize..80, text in "[a-z0-9:\\.\"'\\[\\]{}#, \\\\$(_*é-]{0,12}",
    ) {
        let mut lines: Vec<String> = DESK.lines().map(str::to_owned).collect();
        let line = &mut lines[field];
        let at = (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap();
        line.insert_str(at, &text);
        any(&lines.join("\n"))?;
    }

    #[test]
    fn c3_any_bytes_are_loaded_or_are_a_mistake(bytes: Vec<u8>, ending in "(md|yaml|yml)") {
        let folder = folder(&[]);
        let name = format!("a.{ending}");
        fs::write(folder.path().join(&name), bytes).unwrap();
        if let Err(error) = CardLoader::new(registry()).base(folder.path()).load([&name]) {
            prop_assert!(error.mistakes().iter().all(|mistake| mistake.line > 0 && mistake.column > 0));
        }
    }

    #[test]
    fn c3_any_text_is_loaded_or_is_a_mistake(text: String) {
        any(&text)?;
        any(&format!("---\n{text}\n---\nAnswer."))?;
    }
}

/// Each mistake has its own place, and a line is counted once.
#[test]
fn c3_thousands_of_mistakes_in_one_line_are_placed_in_time() {
    let names = |field: &str, file: &str| {
        let all: Vec<_> = (0..900).map(|number| format!("{file}:none_{number}")).collect();
        format!("{field}: [{}]", all.join(", "))
    };
    let fields = [
        names("function_tools", "tools.rs"),
        names("toolboxes", "kb.rs"),
        names("run_hooks", "hooks.rs"),
        names("message_hooks", "hooks.rs"),
        names("turn_hooks", "hooks.rs"),
    ];
    let card = format!("{{ instruction: Äh, {} }}", fields.join(", "));
    let folder = folder(&[("a.yaml", &card)]);
    let begin = Instant::now();
    let error = CardLoader::new(registry()).base(folder.path()).load(["a.yaml"]).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    assert_eq!(error.mistakes().len(), 4500);
    for mistake in error.mistakes() {
        assert_eq!(mistake.line, 1);
        let at: String = card.chars().skip(mistake.column - 1).take(30).collect();
        assert!(at.split(',').next().unwrap().contains(":none_"), "{mistake}: {at}");
    }
}

/// What is most like a missing item is looked for so often only that many names and many items do not multiply.
#[test]
fn c3_a_card_of_many_missing_items_is_refused_in_time() {
    let many = Registry::new().file("tools.rs", |items| {
        for number in 0..2000 {
            items.tool::<add_one>().called(&format!("tool_{number}"));
        }
        items
    });
    let names: Vec<_> = (0..900).map(|number| format!("tools.rs:tool_x{number}")).collect();
    let folder = folder(&[("a.yaml", &format!("instruction: A.\nfunction_tools: [{}]\n", names.join(", ")))]);
    let begin = Instant::now();
    let error = CardLoader::new(many).base(folder.path()).load(["a.yaml"]).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    assert_eq!(error.mistakes().len(), 900);
    let hints = error.mistakes().iter().filter(|mistake| mistake.message.contains("did you mean")).count();
    assert_eq!(hints, 200);
}
