//! The mistakes of cards, with the words and places of the compiled form.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::loader::{CardLoader, MistakeKind, Registry};
use onionskin::{App, BuildError, ScriptedModel};
use onionskin_vocabulary::READY_HOOKS;

use super::pages::{self, Case};
use super::parts::{Helper, Report, Visit, add_one, at_most, louder, mark};
use super::{folder, load};

/// The macros are held to the same pages.
#[test]
fn c3_each_mistake_of_a_card_is_a_load_error_with_the_same_words_and_place() {
    let mistakes = pages::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cards/tests/mistakes"));
    assert!(mistakes.len() > 160, "{}", mistakes.len());
    for Case { name, files, message, .. } in mistakes {
        let folder = folder(&[(&name, &files[&name])]);
        let error = CardLoader::new(Registry::new()).base(folder.path()).load([&name]).unwrap_err();
        assert_eq!(error.to_string().trim_end(), message, "{name}");
        assert!(error.mistakes().iter().all(|mistake| mistake.kind == MistakeKind::Format), "{error:?}");
    }
}

fn registry() -> Registry {
    Registry::new()
        .file("cards/tools.rs", |items| items.tool::<add_one>().state::<Visit>().output::<Report>())
        .file("cards/hooks.rs", |items| {
            items
                .tool_hook::<mark>()
                .run_hook::<louder>()
                .turn_hook::<at_most>()
                .text("greeting", super::parts::greeting)
        })
        .module("crate", |items| items.agent::<Helper>())
}

/// The kinds and the lines of the mistakes in one card.
fn mistakes(card: &str) -> Vec<(MistakeKind, String)> {
    let error = load(registry(), &[("cards/a.yaml", card)]).unwrap_err();
    error.mistakes().iter().map(|mistake| (mistake.kind, mistake.to_string())).collect()
}

#[test]
fn c3_what_a_card_names_is_wrong_in_four_ways_with_types_of_their_own() {
    let card = "instruction: Add.\nfunction_tools:\n  - tools.rs\n";
    assert_eq!(
        mistakes(card),
        [(
            MistakeKind::Format,
            "cards/a.yaml:3:5: `tools.rs` is a file: write the name behind it, `tools.rs:add_one`".to_owned()
        )]
    );
    let card = "instruction: Add.
function_tools:
  - tool.rs:add_one
  - tools.rs:add_oen
  - hooks.rs:mark
  - crate::add_one
tool_hooks:
  - tools.rs:add_one
  - hooks.rs:louder
  - hooks.rs:greeting
";
    let lines = [
        (
            MistakeKind::MissingFile,
            "cards/a.yaml:3:5: there is no file `cards/tool.rs`; a card names files relative to its own folder",
        ),
        (MistakeKind::MissingItem, "cards/a.yaml:4:5: `tools.rs` has no `add_oen`; did you mean `add_one`?"),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:5:5: `hooks.rs:mark` is a hook around tool calls: name it in `tool_hooks`",
        ),
        (
            MistakeKind::MissingItem,
            "cards/a.yaml:6:5: the program has no `crate::add_one`; nothing in it is a tool",
        ),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:8:5: `tools.rs:add_one` is a tool: name it in `function_tools`",
        ),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:9:5: `hooks.rs:louder` is a hook around runs: name it in `run_hooks`",
        ),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:10:5: `hooks.rs:greeting` is a function that gives text, and not a hook around tool calls",
        ),
    ];
    assert_eq!(mistakes(card), lines.map(|(kind, line)| (kind, line.to_owned())));
}

#[test]
fn c3_a_file_that_is_registered_in_another_folder_is_named() {
    let registry = || Registry::new().file("tools.rs", |items| items.tool::<add_one>());
    let card = "instruction: Add.\nfunction_tools: [tools.rs:add_one]\n";
    let error = load(registry(), &[("cards/a.yaml", card)]).unwrap_err();
    assert_eq!(error.mistakes()[0].kind, MistakeKind::MissingFile);
    let line = "cards/a.yaml:2:18: the program registers nothing of `cards/tools.rs`; it registers `tools.rs`: paths of the registry begin at \
                the base folder of the loader, and those of a card at its own folder";
    assert_eq!(error.mistakes()[0].to_string(), line);
    assert_eq!(format!("{error:?}"), error.to_string(), "`main` shows it so");

    // A file that is there is the one that is meant.
    let error = load(registry(), &[("cards/a.yaml", card), ("cards/tools.rs", "")]).unwrap_err();
    assert!(error.to_string().contains("call `file(\"cards/tools.rs\", ..)`"), "{error}");
}

#[test]
fn c3_a_name_without_a_file_says_where_its_item_is() {
    let line = "cards/a.yaml:2:18: `add_one` has no file and no path: write `tools.rs:add_one`, or a path, `crate::tools::add_one`";
    assert_eq!(
        mistakes("instruction: Add.\nfunction_tools: [add_one]\n"),
        [(MistakeKind::Format, line.to_owned())]
    );
}

#[test]
fn c3_a_ready_hook_without_its_crate_says_its_path() {
    let card = "instruction: Add.\ntool_hooks: [\"hooks::retry\"]\n";
    let line = "cards/a.yaml:2:14: `hooks::retry` does not start with a crate: write `::onionskin::hooks::retry`, or `crate::hooks::retry` for \
                your own";
    assert_eq!(mistakes(card), [(MistakeKind::Format, line.to_owned())]);
}

#[test]
fn c3_each_ready_hook_is_registered() {
    let hooks: BTreeSet<&str> = READY_HOOKS.iter().map(|path| path.trim_start_matches("::")).collect();
    assert_eq!(format!("{:?}", Registry::new()), format!("{hooks:?}"));
}

#[test]
fn c3_values_places_and_types_that_do_not_fit_have_places() {
    let card = "instruction: Add.
tool_hooks:
  - { hook: hooks.rs:mark, with: [1] }
  - hooks.rs:mark
  - { hook: \"::onionskin::hooks::retry\", with: [-1] }
turn_hooks:
  after_llm_call: { hook: hooks.rs:at_most, with: [1] }
state: tools.rs:Report
output: tools.rs:Visit
agents: [\"crate::Helpr\"]
";
    let lines = [
        (MistakeKind::WrongValue, "cards/a.yaml:3:35: `with` of `hooks.rs:mark` must be a text"),
        (
            MistakeKind::WrongValue,
            "cards/a.yaml:4:5: too few values for `hooks.rs:mark`: it takes 1, and this gives 0: `with: [with]`",
        ),
        (
            MistakeKind::WrongValue,
            "cards/a.yaml:5:49: `attempts` of `::onionskin::hooks::retry` must be a whole number from 0 to 4294967295",
        ),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:7:27: `hooks.rs:at_most` is a hook of `before_llm_call`, and not of `after_llm_call`: name it below \
             `before_llm_call`",
        ),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:8:8: `tools.rs:Report` is not registered for `state`: the program calls `state::<..>()` for it",
        ),
        (
            MistakeKind::WrongKind,
            "cards/a.yaml:9:9: `tools.rs:Visit` is not registered for `output`: the program calls `output::<..>()` for it",
        ),
        (
            MistakeKind::MissingItem,
            "cards/a.yaml:10:10: the program has no `crate::Helpr`; did you mean `crate::Helper`?",
        ),
    ];
    assert_eq!(mistakes(card), lines.map(|(kind, line)| (kind, line.to_owned())));
}

/// A value whose reading panics.
struct Panics;

impl<'de> serde::Deserialize<'de> for Panics {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("no value is good")
    }
}

#[test]
fn c3_a_panic_while_a_value_is_read_is_a_mistake_at_the_value() {
    let registry = Registry::new().file("hooks.rs", |items| {
        items.tool_hook_with("panics", |(_,): (Panics,)| super::parts::more::new())
    });
    let card = "instruction: A.\ntool_hooks: [{ hook: hooks.rs:panics, with: [1] }]\n";
    let error = load(registry, &[("a.yaml", card)]).unwrap_err();
    let [mistake] = error.mistakes() else { panic!("{error}") };
    assert_eq!((mistake.kind, mistake.line, mistake.column), (MistakeKind::WrongValue, 2, 46));
    assert!(mistake.message.contains("panicked while it read the value: no value is good"), "{mistake}");
}

#[test]
fn c3_all_mistakes_of_all_cards_are_reported_at_once() {
    let files = [
        ("a.yaml", "instruction: A.\nserver: [time]\n"),
        ("b.yaml", "instruction: B.\nagents: [a, d, nobody]\nfunction_tools: [x.rs:y]\n"),
        ("c.yaml", "name: b\ninstruction: C.\n"),
        ("d.yaml", "instruction: D.\ndescription: D.\nagents: [b]\n"),
    ];
    let folder = folder(&files);
    let paths = ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"];
    let error = CardLoader::new(Registry::new()).base(folder.path()).load(paths).unwrap_err();
    let kinds: Vec<_> =
        error.mistakes().iter().map(|mistake| (mistake.file.as_str(), mistake.line, mistake.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("e.yaml", 1, MistakeKind::MissingFile),
            ("a.yaml", 2, MistakeKind::Format),
            ("b.yaml", 2, MistakeKind::Cards),
            ("b.yaml", 2, MistakeKind::Cards),
            ("b.yaml", 3, MistakeKind::MissingFile),
            ("c.yaml", 1, MistakeKind::Cards),
        ]
    );
}

/// Without the feature, which the tests of this crate alone leave off.
#[test]
#[cfg(not(feature = "shell"))]
fn c3_a_built_in_tool_without_its_feature_is_a_mistake_that_names_it() {
    assert_eq!(
        mistakes("instruction: Run.\nruntime: [shell.execute]\n"),
        [(
            MistakeKind::MissingFeature("shell"),
            "cards/a.yaml:2:11: `shell.execute` runs programs: enable feature `shell` of onionskin"
                .to_owned()
        )]
    );
}

#[test]
fn c3_a_file_that_is_there_and_not_registered_says_what_to_call() {
    let files = [("a.yaml", "instruction: A.\nfunction_tools: [tools.rs:x]\n"), ("tools.rs", "")];
    let error = load(Registry::new(), &files).unwrap_err();
    assert_eq!(error.mistakes()[0].kind, MistakeKind::MissingFile);
    assert_eq!(
        error.mistakes()[0].message,
        "the program registers nothing of `tools.rs`: call `file(\"tools.rs\", ..)` of its `Registry`"
    );
}

#[test]
fn c3_a_raw_name_is_found_with_and_without_its_mark() {
    let registry = || {
        Registry::new()
            .module("crate::tools", |items| items.tool::<add_one>().called("type"))
            .file("tools.rs", |items| items.tool::<add_one>().called("type"))
    };
    let filtered = "instruction: A.\nfunction_tools: [./tools.rs:type]\ntool_hooks: [{ hook: \"::onionskin::hooks::log\", for: [r#type] }]\n";
    assert!(load(registry(), &[("a.yaml", filtered)]).is_ok());
    for name in ["crate::tools::r#type", "crate::r#tools::type", "tools.rs:r#type", "tools.rs:type"] {
        let card = format!("instruction: A.\nfunction_tools: [{name:?}]\n");
        assert!(load(registry(), &[("a.yaml", &card)]).is_ok(), "{name}");
    }
}

#[test]
fn c3_a_chain_of_very_many_cards_is_a_mistake_with_a_place() {
    let folder = folder(&[]);
    for at in 0..3_000 {
        let card = format!("instruction: A.\nagents: [a{}]\ndescription: D.\n", at + 1);
        fs::write(folder.path().join(format!("a{at}.yaml")), card).unwrap();
    }
    fs::write(folder.path().join("a3000.yaml"), "instruction: A.\ndescription: D.\n").unwrap();
    let error = CardLoader::new(Registry::new()).base(folder.path()).load(["."]).unwrap_err();
    let [mistake] = error.mistakes() else { panic!("{error}") };
    assert_eq!((mistake.kind, &*mistake.file, mistake.line), (MistakeKind::Cards, "./a2900.yaml", 2));
    assert!(mistake.message.contains("100 levels of agents"), "{mistake}");
}

#[test]
fn c3_a_chain_of_very_many_agents_of_the_program_is_an_error_of_the_build() {
    let mut agent = DynAgent::new("last", || AgentDeclaration::new().instruction("A."));
    for at in 0..3_000 {
        let child = agent.clone();
        agent = DynAgent::new(format!("a{at}"), move || {
            AgentDeclaration::new().description("D.").instruction("A.").dyn_child(&child)
        });
    }
    let app = App::builder().dyn_agent(&agent).model(ScriptedModel::turns([])).build();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(app).unwrap_err();
    assert!(
        matches!(&error, BuildError::TooManyLevels { agent, max: 100, .. } if agent == "a2899"),
        "{error}"
    );
}

#[test]
fn c3_an_empty_card_that_is_there_is_no_missing_file() {
    let error = load(Registry::new(), &[("a.md", "")]).unwrap_err();
    assert_eq!(error.mistakes()[0].kind, MistakeKind::Format);
}
