//! Asking again: a model that failed half way, and tools that want other arguments.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect, and their tools are small")]

use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::event::EventKind;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::{Exit, RunError, ScriptedModel, ScriptedTurn, ToolResult, agent, tool};
use serde_json::json;

/// Breaks off twice in the middle of its answer.
struct BreaksOff(AtomicU32);

impl Model for BreaksOff {
    async fn respond(
        &self,
        _: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        deltas(ModelDelta::Reasoning("Hm. ".to_owned()));
        deltas(ModelDelta::Text("It is ".to_owned()));
        if self.0.fetch_add(1, Ordering::Relaxed) < 2 {
            return Err(ModelError::status(503, "overloaded", None));
        }
        deltas(ModelDelta::Text("four.".to_owned()));
        Ok(ModelResponse::text("It is four."))
    }
}

agent! {
    Poet { instruction: "Answer." }
}

#[tokio::test(start_paused = true)]
async fn a8_deltas_of_a_failed_attempt_are_taken_back() {
    let poet = Poet::builder().model(BreaksOff(AtomicU32::new(0))).build().await.unwrap();
    let mut run = poet.stream("2 + 2?");
    let (mut said, mut thought, mut restarts, mut all) = (String::new(), String::new(), 0, String::new());
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TextDelta { text, .. } => {
                said.push_str(&text);
                all.push_str(&text);
            }
            EventKind::ReasoningDelta { text, .. } => thought.push_str(&text),
            EventKind::TurnRestarted { turn, .. } => {
                assert_eq!((turn, event.step.turn()), (1, 1));
                restarts += 1;
                said.clear();
                thought.clear();
            }
            _ => {}
        }
    }
    assert_eq!((said.as_str(), thought.as_str(), restarts), ("It is four.", "Hm. ", 2));
    assert_eq!(all, "It is It is It is four.", "without the event nobody could tell");
    let output = run.output().await.unwrap();
    assert_eq!((output.text, output.turns), (said, 1));
}

/// Wants more.
#[tool]
fn picky(x: i64) -> ToolResult<i64> {
    if x < 10 { Err(Exit::retry("more")) } else { Ok(x) }
}

/// Wants less.
#[tool]
fn fussy(x: i64) -> ToolResult<i64> {
    if x > 0 { Err(Exit::retry("less")) } else { Ok(x) }
}

agent! {
    Buyer { instruction: "Buy.", function_tools: [picky, fussy], limits: { max_retries: 2 } }
}

#[tokio::test]
async fn t11_every_tool_that_asks_for_another_try_is_counted() {
    // `fussy` is last in each turn; `picky` is asked too often.
    let turn = |x: i64| ScriptedTurn::call("picky", json!({ "x": 1 })).and_call("fussy", json!({ "x": x }));
    let model = ScriptedModel::turns([turn(1), turn(1), turn(0), ScriptedTurn::say("unreached")]);
    let error = Buyer::builder().model(model).run("go").await.unwrap_err();
    assert!(
        matches!(&error, RunError::Retries { tool, times: 3, message , .. } if &**tool == "picky" && message == "more"),
        "{error}"
    );
}

#[tokio::test]
async fn t11_calls_of_one_turn_ask_once() {
    let many = (0..5).fold(ScriptedTurn::default(), |turn, x| turn.and_call("picky", json!({ "x": x })));
    let model = ScriptedModel::turns([many.clone(), many, ScriptedTurn::say("Enough.")]);
    assert_eq!(Buyer::builder().model(model).run("go").await.unwrap().text, "Enough.");
}
