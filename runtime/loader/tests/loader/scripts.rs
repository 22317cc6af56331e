//! Tools and hooks in scripts beside the cards.

use std::fs;
use std::sync::Arc;

use onionskin::loader::{CardLoader, MistakeKind, Registry};
use onionskin::{App, ScriptedModel, ScriptedTurn, tool, toolbox};
use serde_json::json;

use super::parts::add_one;
use super::{folder, load, run};

const TOOLS: &str = r"
/// Doubles a number.
///
/// # Arguments
/// * `x: int` - The number
fn double(x) { times(x, 2) }

private fn times(x, y) { x * y }
";

const HOOKS: &str = r#"
fn audit(ctx, args) {
    if ctx.tool_name == "add_one" { args.x = 10; }
    call_next(args) + " [" + ctx.tool_source + "]"
}
"#;

const CARD: &str = "instruction: Add.
function_tools: [scripts/tools.rhai:double, tools.rs:add_one]
tool_hooks:
  - { hook: scripts/hooks.rhai:audit, for: [add_one] }
  - { hook: scripts/hooks.rhai:audit, except: [add_one] }
";

/// Tools with the names of others.
struct Stock;

#[toolbox]
impl Stock {
    /// Adds one.
    #[tool]
    fn add_one() {}

    /// Reads a skill.
    #[tool]
    fn skills_read() {}
}

fn registry() -> Registry {
    Registry::new().file("cards/tools.rs", |items| items.tool::<add_one>())
}

fn model() -> ScriptedModel {
    let calls = ScriptedTurn::call("double", json!({ "x": 4 })).and_call("add_one", json!({ "x": 41 }));
    ScriptedModel::turns([calls, ScriptedTurn::say("{last}")])
}

#[tokio::test]
async fn c3_functions_of_scripts_are_tools_and_hooks() {
    let files =
        [("cards/a.yaml", CARD), ("cards/scripts/tools.rhai", TOOLS), ("cards/scripts/hooks.rhai", HOOKS)];
    let cards = load(registry(), &files).unwrap();
    let said = run(&cards, model(), "?").await.text;
    assert!(said.contains("8 [function]") && said.contains("11 [function]"), "{said}");
}

#[tokio::test]
async fn c3_tools_and_hooks_can_be_in_one_script_and_descriptions_name_them() {
    let script = format!("{TOOLS}\n{HOOKS}");
    let card = "instruction: Add.\nfunction_tools: [s.rhai:double]\ntool_hooks: [s.rhai:audit]\n";
    let cards = load(Registry::new(), &[("a.yaml", card), ("s.rhai", &script)]).unwrap();
    let calls = [ScriptedTurn::call("double", json!({ "x": 4 })), ScriptedTurn::say("{last}")];
    let app = cards.add_to(App::builder()).model(ScriptedModel::turns(calls)).build().await.unwrap();
    assert_eq!(app.run("?").await.unwrap().text, "8 [function]");
    assert_eq!(app.describe().unwrap().agents[0].tools[0].hooks, ["s.rhai:audit"]);
}

/// The mistakes of a card beside one script.
fn mistakes(card: &str, script: &str) -> Vec<(MistakeKind, String)> {
    let error = load(registry(), &[("cards/a.yaml", card), ("cards/s.rhai", script)]).unwrap_err();
    error.mistakes().iter().map(|mistake| (mistake.kind, mistake.to_string())).collect()
}

/// The case `hook-wrong-arity-loaded`.
#[test]
fn c3_a_script_hook_with_other_parameters_is_refused_when_its_card_is_loaded() {
    let card = "instruction: A.\ntool_hooks:\n  - s.rhai:audit\n";
    for (script, count) in [("\n  fn audit(ctx, args, call_next) { 1 }", 3), ("\n  fn audit(ctx) { 1 }", 1)] {
        let line = format!(
            "cards/a.yaml:3:5: `s.rhai:audit` cannot be a hook around tool calls: cards/s.rhai:2:6: a hook takes two parameters and \
             goes on with `call_next(args)`: `fn audit(ctx, args)`; this takes {count}"
        );
        assert_eq!(mistakes(card, script), [(MistakeKind::Script, line)]);
    }
}

#[test]
fn c3_mistakes_in_scripts_have_kinds_and_places() {
    let card = "instruction: A.
function_tools: [s.rhai:doubel, t.rhai:x]
run_hooks: [s.rhai:double]
tool_hooks: [s.rhai:double]
";
    assert_eq!(
        mistakes(card, TOOLS),
        [
            (
                MistakeKind::MissingItem,
                "cards/a.yaml:2:18: `s.rhai` has no `doubel`; did you mean `double`?".to_owned()
            ),
            (
                MistakeKind::MissingFile,
                "cards/a.yaml:2:33: there is no file `cards/t.rhai`; a card names files relative to its own folder".to_owned()
            ),
            (
                MistakeKind::WrongKind,
                "cards/a.yaml:3:13: `s.rhai:double` is a script, which can be a tool, a hook around tool calls, a hook on messages or a rule for approval only".to_owned()
            ),
            (
                MistakeKind::Script,
                "cards/a.yaml:4:14: `s.rhai:double` cannot be a hook around tool calls: cards/s.rhai:6:4: a hook takes two parameters \
                 and goes on with `call_next(args)`: `fn double(ctx, args)`; this takes 1"
                    .to_owned()
            ),
        ]
    );
    let through = "fn t(x) { u(x) }\nfn u(x) { audit(x, x) }\n".to_owned() + HOOKS;
    let through = mistakes("instruction: A.\nfunction_tools: [s.rhai:t]\n", &through);
    assert!(
        through[0].1.ends_with(
            "cards/s.rhai:6:5: there is no function `call_next` here: it is for hooks around tool calls"
        ),
        "{through:?}"
    );
    assert_eq!(
        mistakes("instruction: A.\nfunction_tools: [s.rhai:audit]\n", HOOKS),
        [(
            MistakeKind::Script,
            "cards/a.yaml:2:18: `s.rhai:audit` cannot be a tool: cards/s.rhai:4:5: there is no function `call_next` here: it is for hooks around tool calls".to_owned()
        )]
    );
    let broken = mistakes("instruction: A.\nfunction_tools: [s.rhai:f]\n", "/// F.\nfn f() { 1 +; }\n");
    assert_eq!(broken[0].0, MistakeKind::Script);
    assert!(broken[0].1.contains(" cannot be a tool: cards/s.rhai:2:13: "), "{broken:?}");
}

#[tokio::test]
async fn c3_a_card_names_hooks_on_messages_in_scripts() {
    let hooks = "fn loud(sender, message, recipient, silent) { message.to_upper() }\n\
                 fn count(state, messages) { state.count = messages.len(); state }\n";
    let card = "instruction: Talk of {session_state.count}.\nmessage_hooks: [s.rhai:loud, s.rhai:count]\n";
    let cards = load(Registry::new(), &[("a.yaml", card), ("s.rhai", hooks)]).unwrap();
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("{input}, then.")]));
    assert_eq!(run(&cards, Arc::clone(&model), "hm").await.text, "HM, THEN.");
    assert_eq!(model.requests()[0].system.as_deref(), Some("Talk of 1."));
}

/// Finds a number.
#[tool(effect = pure)]
fn find(x: i64) -> i64 {
    x
}

#[test]
fn h9_a_cache_for_a_tool_whose_results_it_does_not_keep_is_a_mistake() {
    let card = "instruction: A.\nfunction_tools: [s.rhai:double, tools.rs:add_one, f.rs:find]\ntool_hooks:\n  \
                - { hook: \"::onionskin::hooks::cache_results\", with: [9, 60], for: [find, double, add_one] }\n";
    let registry = registry().file("cards/f.rs", |items| items.tool::<find>());
    let error = load(registry, &[("cards/a.yaml", card), ("cards/s.rhai", TOOLS)]).unwrap_err();
    let mistakes: Vec<_> = error.mistakes().iter().map(ToString::to_string).collect();
    let start = "`::onionskin::hooks::cache_results` keeps no result of";
    let expected = [
        format!(
            "cards/a.yaml:4:77: {start} `double`, because a script cannot say that it changes nothing: remove it from the filter"
        ),
        format!(
            "cards/a.yaml:4:85: {start} `add_one`, because it has no `effect = pure`: remove it from the filter"
        ),
    ];
    assert_eq!(mistakes, expected);
    let card = "instruction: A.\nfunction_tools: [s.rhai:double]\ntool_hooks:\n  \
                - { hook: \"::onionskin::hooks::cache_results\", with: [9, 60] }\n";
    let error = load(Registry::new(), &[("a.yaml", card), ("s.rhai", TOOLS)]).unwrap_err();
    let expected = format!(
        "a.yaml:4:13: {start} this agent, because a script cannot say that it changes nothing: remove the hook"
    );
    assert_eq!(error.mistakes()[0].to_string(), expected);
}

#[test]
fn c3_two_tools_of_one_name_are_a_mistake_of_the_card() {
    let card = "instruction: A.\nfunction_tools: [s.rhai:double, t.rhai:double, tools.rs:add_one]\nruntime: [skills.read]\n\
                toolboxes: [kb.rs:Stock]\n";
    let error = load(
        registry().file("cards/kb.rs", |items| items.toolbox::<Stock>()),
        &[("cards/a.yaml", card), ("cards/s.rhai", TOOLS), ("cards/t.rhai", TOOLS)],
    )
    .unwrap_err();
    let told: Vec<_> = error.mistakes().iter().map(|mistake| (mistake.kind, mistake.to_string())).collect();
    let line = |place: &str, name: &str, second: &str, first: &str| {
        let text = format!(
            "cards/a.yaml:{place}: the tool `{name}` of `{second}` has the name of a tool of `{first}`: give one of them another name"
        );
        (MistakeKind::Cards, text)
    };
    assert_eq!(
        told,
        [
            line("2:33", "double", "t.rhai:double", "s.rhai:double"),
            line("4:13", "add_one", "kb.rs:Stock", "tools.rs:add_one"),
            line("4:13", "skills_read", "kb.rs:Stock", "skills.read"),
        ]
    );
}

#[tokio::test]
async fn c3_the_next_run_sees_a_changed_script() {
    let folder = folder(&[
        ("cards/a.yaml", CARD),
        ("cards/scripts/tools.rhai", TOOLS),
        ("cards/scripts/hooks.rhai", HOOKS),
    ]);
    let cards = CardLoader::new(registry())
        .base(folder.path())
        .watch(["cards"], |cards| cards.add_to(App::builder()).model(model()))
        .start()
        .await
        .unwrap();
    assert!(cards.run("?").await.unwrap().text.contains("8 [function]"));
    let script = folder.path().join("cards/scripts/tools.rhai");
    fs::write(&script, TOOLS.replace("x, 2", "x, 3")).unwrap();
    assert!(cards.run("?").await.unwrap().text.contains("12 [function]"));

    fs::write(&script, TOOLS.replace("x, 2", "x; 2")).unwrap();
    assert!(cards.run("?").await.unwrap().text.contains("12 [function]"));
    assert!(cards.problem().unwrap().to_string().contains("cards/scripts/tools.rhai:6:"));
    fs::remove_file(&script).unwrap();
    assert!(cards.run("?").await.unwrap().text.contains("12 [function]"));
    fs::write(&script, TOOLS.replace("x, 2", "x, 4")).unwrap();
    assert!(cards.run("?").await.unwrap().text.contains("16 [function]"));
    assert!(cards.problem().is_none());
}

/// A path of a card can be a link to any file of the machine, and the words of the language quote it.
#[cfg(unix)]
#[test]
fn c3_nothing_is_quoted_of_a_file_that_a_script_is_a_link_to() {
    let words = "(its text is not shown: it is no file of an agent in its folder)";
    for (secret, told) in [
        ("let hunter2 = `hunter3", format!("s.rhai:1:15: it has a mistake {words}")),
        ("hunter2: hunter3", format!("it has a mistake {words}")),
        ("fn f() { hunter2 }", format!("it has a mistake {words}")),
        ("fn hunter2() { 1 }", format!("s.rhai: it has no such function {words}")),
    ] {
        let folder =
            folder(&[("cards/a.yaml", "instruction: Do.\nfunction_tools: [s.rhai:f]\n"), ("secret", secret)]);
        std::os::unix::fs::symlink("../secret", folder.path().join("cards/s.rhai")).unwrap();
        let error = CardLoader::new(Registry::new()).base(folder.path()).load(["cards"]).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("hunter") && shown.contains(&told), "{secret}: {shown}");
    }
}
