//! `approval` of cards.

use onionskin::approval::Approval;
use onionskin::loader::{CardLoader, LoadedCards, MistakeKind, Registry};
use onionskin::{App, Args, RunError, ScriptedModel, ScriptedTurn, tool};
use serde_json::{Value, json};

use super::{folder, load};

/// Pays.
#[tool]
fn pay(cents: u64) -> String {
    format!("paid {cents}")
}

/// Orders.
#[tool]
fn order(title: &str) -> String {
    format!("ordered {title}")
}

fn is_large(args: &Args) -> Option<&'static str> {
    args["cents"].as_u64().is_none_or(|cents| cents > 100).then_some("a large sum")
}

fn registry() -> Registry {
    Registry::new()
        .file("tools.rs", |items| items.tool::<pay>().tool::<order>())
        .file("rules.rs", |items| items.rule("is_large", is_large))
}

fn card(approval: &str) -> String {
    format!("function_tools: [tools.rs:pay, tools.rs:order]\ninstruction: Buy.\n{approval}\n")
}

/// What the person is asked about a call, with the reason.
async fn question(cards: &LoadedCards, tool: &str, args: Value) -> Option<String> {
    let model = ScriptedModel::turns([ScriptedTurn::call(tool, args), ScriptedTurn::say("{last}")]);
    match cards.add_to(App::builder()).model(model).build().await.unwrap().run("Go.").await {
        Ok(_) => None,
        Err(RunError::Paused(paused)) => {
            let question = &paused.questions()[0];
            Some(format!("{} {:?}", question.tool_name(), question.text()))
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a14_a_card_names_calls_with_a_rule_or_a_reason() {
    let approval =
        "approval: [{ rule: rules.rs:is_large, for: [pay] }, { reason: it is final, except: [pay] }]";
    let cards = load(registry(), &[("desk.yaml", &card(approval))]).unwrap();
    assert_eq!(question(&cards, "pay", json!({ "cents": 5 })).await, None);
    let large = question(&cards, "pay", json!({ "cents": 500 })).await;
    assert_eq!(large.as_deref(), Some("pay Some(\"a large sum\")"));
    let order = question(&cards, "order", json!({ "title": "Emma" })).await;
    assert_eq!(order.as_deref(), Some("order Some(\"it is final\")"));

    let cards = load(registry(), &[("desk.yaml", &card("approval: [pay]"))]).unwrap();
    assert_eq!(question(&cards, "order", json!({ "title": "Emma" })).await, None);
    assert_eq!(question(&cards, "pay", json!({ "cents": 5 })).await.as_deref(), Some("pay None"));
    let model =
        ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
    let app = cards.add_to(App::builder()).model(model).approver(|_| async { Approval::deny("no") });
    assert_eq!(
        app.build().await.unwrap().run("Go.").await.unwrap().text,
        "Tool execution was not approved: no"
    );
}

#[test]
fn a14_a_rule_that_is_none_is_a_mistake_of_the_card() {
    for (rule, kind, message) in [
        (
            "rules.rs:is_larg",
            MistakeKind::MissingItem,
            "desk.yaml:3:20: `rules.rs` has no `is_larg`; did you mean `is_large`?",
        ),
        (
            "tools.rs:pay",
            MistakeKind::WrongKind,
            "desk.yaml:3:20: `tools.rs:pay` is a tool: name it in `function_tools`",
        ),
    ] {
        let approval = format!("approval: [{{ rule: {rule}, for: [pay] }}]");
        let Err(error) = load(registry(), &[("desk.yaml", &card(&approval))]) else { panic!("{rule}") };
        let mistake = &error.mistakes()[0];
        assert!(mistake.kind == kind && mistake.to_string().starts_with(message), "{mistake}");
    }
}

#[tokio::test]
async fn a14_a_loader_can_ask_before_changes_in_cards_that_do_not_say_it() {
    let folder = folder(&[
        ("desk.yaml", "runtime: [shell.execute, filesystem.list]\ninstruction: Work.\n"),
        ("free.yaml", "runtime: [shell.execute, filesystem.list]\napproval: []\ninstruction: Work.\n"),
    ]);
    let loader = CardLoader::new(Registry::new()).base(folder.path());
    let command = json!({ "command": "true" });
    for (loader, card, asks) in [
        (loader.clone(), "desk.yaml", false),
        (loader.clone().ask_before_changes(), "desk.yaml", true),
        (loader.ask_before_changes(), "free.yaml", false),
    ] {
        let cards = loader.load([card]).unwrap();
        let asked = question(&cards, "shell_execute", command.clone()).await;
        assert_eq!(asked.is_some(), asks, "{card}");
        assert_eq!(question(&cards, "filesystem_list", json!({})).await, None, "{card}");
    }
}

/// A name in `approval` of a card is not a word about the other tools.
#[tokio::test]
async fn a14_a_loader_asks_before_changes_that_no_entry_of_a_card_names() {
    for (approval, tool, asks) in [
        ("[filesystem.write]", "shell_execute", true),
        ("[pay]", "shell_execute", true),
        ("[shell.execute]", "filesystem_write", true),
        ("[{ reason: it pays, for: [pay] }]", "filesystem_write", true),
        ("[{ rule: rules.rs:is_any, for: [shell.execute] }]", "shell_execute", true),
        ("[{ rule: rules.rs:is_safe, for: [shell.execute] }]", "shell_execute", false),
        ("[{ rule: rules.rs:is_safe, for: [filesystem.*] }]", "filesystem_write", false),
        ("[{ rule: rules.rs:is_safe, for: [filesystem.*] }]", "shell_execute", true),
        ("[{ rule: rules.rs:is_safe, for: [source(runtime)] }]", "shell_execute", false),
        ("[{ reason: it is final, except: [shell.execute] }]", "shell_execute", false),
        ("[{ reason: it is final, except: [shell.execute] }]", "filesystem_write", true),
        ("[]", "filesystem_write", false),
    ] {
        let text = format!(
            "function_tools: [tools.rs:pay]\nruntime: [shell.execute, filesystem.write]\ninstruction: Work.\napproval: {approval}\n"
        );
        let folder = folder(&[("desk.yaml", &text)]);
        let registry =
            Registry::new().file("tools.rs", |items| items.tool::<pay>()).file("rules.rs", |items| {
                items.rule("is_any", |_: &Args| true).rule("is_safe", |_: &Args| false)
            });
        let loader = CardLoader::new(registry).base(folder.path()).ask_before_changes();
        let args = if tool == "shell_execute" {
            json!({ "command": "true" })
        } else {
            // A folder, so that nothing is written.
            json!({ "path": "src", "text": "" })
        };
        let asked = question(&loader.load(["desk.yaml"]).unwrap(), tool, args).await;
        assert_eq!(asked.is_some(), asks, "{approval}: {tool}");
    }
}

#[tokio::test]
async fn a14_a_rule_can_be_a_script_and_its_failure_asks() {
    let script = "fn is_large(args) { if args.cents > 100 { \"a large sum\" } }\nfn two(a, b) { true }\n";
    let files = |rule: &str| {
        let approval = format!("approval: [{{ rule: \"rules.rhai:{rule}\", for: [pay] }}]");
        [("desk.yaml", card(&approval)), ("rules.rhai", script.to_owned())]
    };
    let loaded = |rule: &str| {
        let files = files(rule);
        let folder = folder(&[(files[0].0, &files[0].1), (files[1].0, &files[1].1)]);
        CardLoader::new(registry()).base(folder.path()).load(["desk.yaml"])
    };
    let cards = loaded("is_large").unwrap();
    assert_eq!(question(&cards, "pay", json!({ "cents": 5 })).await, None);
    let large = question(&cards, "pay", json!({ "cents": 500 })).await;
    assert_eq!(large.as_deref(), Some("pay Some(\"a large sum\")"));
    let Err(error) = loaded("two") else { panic!("it has two parameters") };
    let message = "desk.yaml:3:20: `rules.rhai:two` cannot be a rule for approval: rules.rhai:2:4: a rule takes the arguments of the call: `fn two(args)`";
    assert_eq!(error.mistakes()[0].to_string(), message);
}

#[tokio::test]
async fn a14_an_agent_of_a_workflow_names_calls_too() {
    let folder = folder(&[
        ("Shop/orchestrator.json", r#"{ "start_agent": "Clerk" }"#),
        (
            "Shop/agents.json",
            r#"{ "agents": { "Clerk": { "instruction": "Work.", "runtime": ["filesystem.list"], "approval": ["filesystem.*"] } } }"#,
        ),
    ]);
    let workflow = CardLoader::new(registry()).base(folder.path()).load_workflow("Shop").unwrap();
    let model = ScriptedModel::turns([ScriptedTurn::call("filesystem_list", json!({}))]);
    let app = workflow.add_to(App::builder()).model(model).build().await.unwrap();
    assert!(matches!(app.run("Go.").await, Err(RunError::Paused(_))));
}
