//! A model for each request, by a rule.

use onionskin::agent;
use onionskin::model::{Model as _, ModelError};
use onionskin::models::Router;
use onionskin::{BuildError, ScriptedModel, ScriptedTurn};
use serde_json::json;

use super::fake::Fake;
use super::support::{answer, ask};

agent! {
    Writer { name: "writer", description: "Writes.", instruction: "Write." }
    Editor { name: "editor", instruction: "Edit.", agents: [Writer] }
}

#[tokio::test]
async fn o3_a_rule_chooses_the_model_of_each_request() {
    let asks = ScriptedTurn::call("agent__writer", json!({ "input": "Write." }));
    let large = ScriptedModel::turns([asks, ScriptedTurn::say("Edited: {last}")]);
    let small = Fake::says("small", 1);
    let model = Router::new("large", large)
        .route("small", small.clone())
        .rule(|request| if *request.agent == *"writer" { "small" } else { "large" });
    let output = Editor::builder().model_for_all(model).run("Go.").await.unwrap();
    assert_eq!((output.text.as_str(), small.requests().len()), ("Edited: small", 1));
}

#[tokio::test]
async fn o3_without_a_rule_the_first_model_answers() {
    let model = Router::new("a", Fake::says("a", 1)).route("b", Fake::says("b", 1));
    assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().text, "a");
    assert_eq!(model.identity(None).model(), Some("a-1"));
}

#[tokio::test]
async fn o3_a_rule_with_an_unknown_name_is_an_error_that_lists_the_names() {
    let model = Router::new("a", Fake::says("a", 1)).route("b", Fake::says("b", 1)).rule(|_| "c");
    let error = answer(&model, &ask("Hi.")).await.1.unwrap_err();
    assert!(matches!(&error, ModelError::Setup(text) if text.ends_with("are: a, b")), "{error}");
    assert!(!error.is_transient());

    let twice = Router::new("a", Fake::says("a", 1)).route("a", Fake::says("b", 1));
    let error = Writer::builder().model(twice).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::Model { .. }) && error.to_string().contains("two models"),
        "{error}"
    );
}
