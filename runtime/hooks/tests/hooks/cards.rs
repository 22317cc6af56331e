//! The ready hooks in cards, compiled and loaded.

use onionskin::loader::{CardLoader, Registry};
use onionskin::{App, BuildError, RunError, ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

agent!(card = "tests/cards/clerk.md");

#[expect(unreachable_pub, reason = "the file is one of the card, too")]
mod tools {
    include!("../cards/tools.rs");
}

const RESULT: &str = r#"{"sum":11,"pin":"[redacted]"}"#;

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")])
}

fn loader() -> CardLoader {
    let registry = Registry::new().file("tests/cards/tools.rs", |items| items.tool::<tools::add_one>());
    CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR"))
}

#[tokio::test(start_paused = true)]
async fn h9_a_card_with_ready_hooks_is_the_same_agent_compiled_and_loaded() {
    assert_eq!(Clerk::builder().model(model()).run("?").await.unwrap().text, RESULT);
    let cards = loader().load(["tests/cards/clerk.md"]).unwrap();
    let app = cards.add_to(App::builder()).model(model()).build().await.unwrap();
    assert_eq!(app.run("?").await.unwrap().text, RESULT);
}

agent!(card = "tests/cards/careful.md");

#[expect(unreachable_pub, reason = "the file is one of the card, too")]
mod careful {
    include!("../cards/careful.rs");
}

#[tokio::test]
async fn h9_a_card_requires_approval_by_a_condition() {
    let adds = |x: i64| {
        ScriptedModel::turns([ScriptedTurn::call("add_two", json!({ "x": x })), ScriptedTurn::say("{last}")])
    };
    let registry = Registry::new().file("tests/cards/careful.rs", |items| items.tool::<careful::add_two>());
    let cards =
        CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR")).load(["tests/cards/careful.md"]).unwrap();
    let app = cards.add_to(App::builder()).model(adds(101)).build().await.unwrap();
    for result in [Careful::builder().model(adds(101)).run("?").await, app.run("?").await] {
        let Err(RunError::Paused(paused)) = result else { panic!("it pauses") };
        assert_eq!(paused.questions()[0].text(), Some("x > 100"));
    }
    assert_eq!(Careful::builder().model(adds(40)).run("?").await.unwrap().text, "42");
}

#[tokio::test]
async fn h9_values_of_a_card_that_do_nothing_do_not_load_or_build() {
    let folder = tempfile::tempdir().unwrap();
    let load = |hook: &str| {
        let card = format!("instruction: Add.\ntool_hooks:\n  - {hook}\n");
        std::fs::write(folder.path().join("a.yaml"), card).unwrap();
        CardLoader::new(Registry::new()).base(folder.path()).load(["a.yaml"])
    };
    let negative = load(r#"{ hook: "::onionskin::hooks::timeout", with: [-1] }"#).unwrap_err();
    assert!(negative.to_string().contains("must be a whole number from 0 to 4294967295"), "{negative}");
    for hook in [
        r#"{ hook: "::onionskin::hooks::timeout", with: [0] }"#,
        r#"{ hook: "::onionskin::hooks::rate_limit", with: [60, 0] }"#,
        r#"{ hook: "::onionskin::hooks::circuit_breaker", with: [0, 60] }"#,
        r#"{ hook: "::onionskin::hooks::concurrency", with: [0] }"#,
        r#"{ hook: "::onionskin::hooks::clamp_argument", with: [x, 2, 1] }"#,
        r#"{ hook: "::onionskin::hooks::redact", with: [""] }"#,
        r#"{ hook: "::onionskin::hooks::require_approval", with: ["x"] }"#,
    ] {
        let built = load(hook).unwrap().add_to(App::builder()).model(ScriptedModel::turns([])).build().await;
        assert!(matches!(built, Err(BuildError::Panicked { .. })), "{hook}: {built:?}");
    }
}
