//! The ready hooks in cards, compiled and loaded.

use onionskin::loader::{CardLoader, Registry};
use onionskin::{App, BuildError, ScriptedModel, ScriptedTurn, agent};
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
    ] {
        let built = load(hook).unwrap().add_to(App::builder()).model(ScriptedModel::turns([])).build().await;
        assert!(matches!(built, Err(BuildError::Panicked { .. })), "{hook}: {built:?}");
    }
}
