//! Asking again: a model that failed half way, and tools that want other arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::event::EventKind;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCallDelta};
use onionskin::{Exit, RunError, ScriptedModel, ScriptedTurn, ToolResult, agent, tool};
use serde_json::json;
use tokio::time::Instant;

use crate::answers::answers;

/// Breaks off twice in the middle of its answer.
fn breaks_off() -> impl Model {
    let asked = AtomicU32::new(0);
    answers(move |_, deltas| {
        deltas(ModelDelta::Reasoning("Hm. ".to_owned()));
        deltas(ModelDelta::Text("It is ".to_owned()));
        if asked.fetch_add(1, Ordering::Relaxed) < 2 {
            return Err(ModelError::status(503, "overloaded", None));
        }
        deltas(ModelDelta::Text("four.".to_owned()));
        Ok(ModelResponse::text("It is four."))
    })
}

agent! {
    Poet { instruction: "Answer." }
}

#[tokio::test(start_paused = true)]
async fn a8_deltas_of_a_failed_attempt_are_taken_back() {
    let poet = Poet::builder().model(breaks_off()).build().await.unwrap();
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

/// Writes a piece every 600 ms.
struct Writes {
    piece: fn() -> ModelDelta,
    pieces: u32,
    /// Whether it falls silent then.
    stops: bool,
    asked: Arc<AtomicU32>,
}

impl Model for Writes {
    async fn respond(
        &self,
        _: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        for _ in 0..self.pieces {
            tokio::time::sleep(Duration::from_millis(600)).await;
            deltas((self.piece)());
        }
        if self.stops {
            std::future::pending::<()>().await;
        }
        Ok(ModelResponse::text("It is four."))
    }
}

/// Asks a model that writes, with a second for silence. Returns the answer, the number of requests, and the seconds that it took.
async fn ask(piece: fn() -> ModelDelta, pieces: u32, stops: bool) -> (Result<String, String>, u32, u64) {
    let (mut limits, asked, begun) = (Limits::default(), Arc::<AtomicU32>::default(), Instant::now());
    limits.model_timeout = Duration::from_secs(1);
    let model = Writes { piece, pieces, stops, asked: Arc::clone(&asked) };
    let answer = Poet::builder().model(model).limits(limits).run("2 + 2?").await;
    let answer = answer.map(|output| output.text).map_err(|error| error.to_string());
    (answer, asked.load(Ordering::Relaxed), begun.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn o3_an_answer_that_is_being_written_is_not_ended() {
    let pieces: [fn() -> ModelDelta; 3] = [
        || ModelDelta::Text("It ".to_owned()),
        || ModelDelta::Reasoning("Hm ".to_owned()),
        || ModelDelta::ToolCall(ToolCallDelta::new("call_1", "add", " ")),
    ];
    for piece in pieces {
        // Nine seconds.
        let (answer, asked, took) = ask(piece, 15, false).await;
        assert_eq!((answer.as_deref(), asked, took), (Ok("It is four."), 1, 9));
    }
}

#[tokio::test(start_paused = true)]
async fn o3_a_model_that_falls_silent_is_asked_again() {
    let (answer, asked, _) = ask(|| ModelDelta::Text("It ".to_owned()), 3, true).await;
    assert_eq!(
        answer.unwrap_err(),
        "the agent `Poet` got no answer from its model: the model sent nothing for 1s"
    );
    assert_eq!(asked, 3);
}

#[tokio::test(start_paused = true)]
async fn o3_an_answer_without_end_is_ended_once() {
    let (answer, asked, took) = ask(|| ModelDelta::Text("It ".to_owned()), u32::MAX, false).await;
    let error = answer.unwrap_err();
    assert!(error.contains("the model still wrote its answer after 10s"), "{error}");
    assert_eq!((asked, took), (1, 10));
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
