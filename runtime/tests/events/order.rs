//! The order of events, in runs of random scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onionskin::event::{Event, EventKind, RunOutput};
use onionskin::model::{Model, ModelDelta, ModelError, ModelResponse, ToolCall, ToolCallDelta};
use onionskin::{agent, tool};
use proptest::prelude::*;

use super::script::{on_a_paused_clock, script};

use crate::answers::answers;

/// What has begun and not ended, of each run.
#[derive(Default)]
struct OpenRun {
    began: bool,
    turn: Option<u32>,
    turns: u32,
    calls: Vec<String>,
    /// The tool and the arguments of calls that did not begin, by their ids.
    written: BTreeMap<String, (String, String)>,
    ended: bool,
}

/// The book's table of events, as a check. A run is an agent at a scope.
#[derive(Default)]
struct Order {
    runs: BTreeMap<(String, String), OpenRun>,
    seq: u64,
}

impl Order {
    fn next(&mut self, event: &Event) {
        assert_eq!(event.seq, self.seq + 1, "the numbers have no gaps");
        self.seq = event.seq;
        if let EventKind::RunStarted { .. } = event.kind
            && !event.step.scope().is_empty()
        {
            let open: usize = self.runs.values().map(|run| run.calls.len()).sum();
            assert!(open > 0, "a child's run begins within a call: {event:?}");
        }
        let run = self.runs.entry((event.step.scope().to_owned(), event.agent.to_string())).or_default();
        assert!(!run.ended, "the end of a run is its last event: {event:?}");
        match &event.kind {
            EventKind::RunStarted { .. } => assert!(!std::mem::replace(&mut run.began, true), "{event:?}"),
            EventKind::TurnStarted { turn, .. } => {
                assert!(
                    run.calls.is_empty(),
                    "a turn begins when the calls of the one before have ended: {event:?}"
                );
                assert_eq!((run.turn.replace(*turn), *turn), (None, run.turns + 1), "{event:?}");
                run.turns = *turn;
            }
            EventKind::TextDelta { .. } | EventKind::ReasoningDelta { .. } => {
                assert!(run.turn.is_some(), "within a turn: {event:?}");
            }
            EventKind::ToolCallDelta { call_id, tool, arguments, .. } => {
                assert!(run.turn.is_some(), "within a turn: {event:?}");
                let written = run.written.entry(call_id.to_string()).or_default();
                assert!(written.0.is_empty() || *written.0 == **tool, "a call has one tool: {event:?}");
                written.0 = tool.to_string();
                written.1.push_str(arguments);
            }
            EventKind::TurnRestarted { .. } => {
                assert!(run.turn.is_some(), "within a turn: {event:?}");
                run.written.clear();
            }
            EventKind::TurnFinished { .. } => assert!(run.turn.take().is_some(), "{event:?}"),
            EventKind::ToolStarted { call_id, tool, arguments, .. } => {
                assert!(run.turn.is_none(), "calls begin after the turn: {event:?}");
                let written = run.written.remove(&**call_id);
                let begun = (tool.to_string(), arguments.to_string());
                assert_eq!(written, Some(begun), "the pieces of a call add up to it: {event:?}");
                assert!(!run.calls.iter().any(|open| **open == **call_id), "{event:?}");
                run.calls.push(call_id.to_string());
            }
            EventKind::ToolFinished { call_id, .. } => {
                let open = run.calls.iter().position(|open| **open == **call_id);
                run.calls.remove(open.unwrap_or_else(|| panic!("it did not begin: {event:?}")));
            }
            EventKind::Progress { call_id: Some(call_id), .. }
            | EventKind::User { call_id: Some(call_id), .. } => {
                assert!(run.calls.iter().any(|open| **open == **call_id), "within the call: {event:?}");
            }
            EventKind::RunFinished { .. } => {
                assert!(run.turn.is_none() && run.calls.is_empty(), "all has ended: {event:?}");
                run.ended = true;
            }
            EventKind::RunFailed { .. } => {
                assert!(run.calls.is_empty(), "all calls have ended: {event:?}");
                run.ended = true;
            }
            _ => {}
        }
        assert!(run.began, "the beginning of a run is its first event: {event:?}");
    }

    fn end(&self) {
        let open: Vec<_> = self.runs.iter().filter(|(_, run)| !run.ended).map(|(run, _)| run).collect();
        assert!(open.is_empty(), "without an end: {open:?}");
    }
}

proptest! {
    #[test]
    fn a8_the_events_of_each_run_come_in_the_order_that_the_book_says(script in script()) {
        on_a_paused_clock(async {
            let (agent, open) = script.agent().await;
            let (mut order, mut text, mut sum) = (Order::default(), String::new(), RunOutput::default());
            let mut stream = agent.stream("go");
            while let Some(event) = stream.next().await {
                order.next(&event);
                sum.add(&event);
                match &event.kind {
                    EventKind::TurnStarted { .. } | EventKind::TurnRestarted { .. } if &*event.agent == "parent" => text.clear(),
                    EventKind::TextDelta { text: piece, .. } if &*event.agent == "parent" => text.push_str(piece),
                    _ => {}
                }
            }
            order.end();
            assert_eq!(open.count(), 0);
            if let Ok(output) = stream.output().await {
                assert!(output.text == text || output.text == "It is enough.", "{text} {}", output.text);
                assert_eq!(output, sum);
            }
        });
    }
}

agent! { Echo { instruction: "Act.", function_tools: [repeat] } }

/// Repeats it.
#[tool]
fn repeat(text: String) -> String {
    text
}

/// Gives its calls the same ids in each turn.
fn same_ids() -> impl Model {
    answers(move |request, deltas| {
        let turn = request.messages.len() / 2;
        if turn == 3 {
            return Ok(ModelResponse::text("done"));
        }
        let call = |id: &str| ToolCall::new(id, "repeat", format!(r#"{{"text":"{turn} {id}"}}"#));
        let calls = [call("one"), call("one_2"), call("two")];
        // Side by side, as some providers write them.
        for half in [|text: &str| text[..4].to_owned(), |text: &str| text[4..].to_owned()] {
            for ToolCall { id, name, arguments, .. } in &calls {
                let piece = ToolCallDelta::new(Arc::clone(id), Arc::clone(name), half(arguments));
                deltas(ModelDelta::ToolCall(piece));
            }
        }
        Ok(ModelResponse::tool_calls(calls))
    })
}

/// Passes pieces of its last call only, which has the id that the call before would get.
fn pieces_of_one() -> impl Model {
    answers(move |request, deltas| {
        let ids: &[&str] = match request.messages.len() / 2 {
            0 => &["a"],
            1 => &["a", "a_2"],
            _ => return Ok(ModelResponse::text("done")),
        };
        let calls = ids.iter().map(|id| ToolCall::new(*id, "repeat", format!(r#"{{"text":"{id}"}}"#)));
        let calls: Vec<_> = calls.collect();
        let last = calls.last().unwrap();
        deltas(ModelDelta::ToolCall(ToolCallDelta::new(
            Arc::clone(&last.id),
            Arc::clone(&last.name),
            &*last.arguments,
        )));
        Ok(ModelResponse::tool_calls(calls))
    })
}

#[tokio::test]
async fn a8_pieces_of_a_call_have_its_id_also_if_another_call_has_none() {
    let echo = Echo::builder().model(pieces_of_one()).build().await.unwrap();
    let mut stream = echo.stream("go");
    let (mut pieces, mut started) = (BTreeMap::new(), BTreeMap::new());
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::ToolCallDelta { call_id, arguments, .. } => {
                pieces.insert(call_id.to_string(), arguments);
            }
            EventKind::ToolStarted { call_id, arguments, .. } => {
                started.insert(call_id.to_string(), arguments.to_string());
            }
            _ => {}
        }
    }
    assert_eq!((pieces.len(), started.len()), (2, 3));
    for (id, arguments) in pieces {
        assert_eq!(started[&id], arguments, "{id}");
    }
}

/// Makes many calls in pieces.
fn many_calls(count: usize) -> impl Model {
    answers(move |request, deltas| {
        if request.messages.len() > 1 {
            return Ok(ModelResponse::text("done"));
        }
        let calls: Vec<_> =
            (0..count).map(|number| ToolCall::new(number.to_string(), "repeat", "{}")).collect();
        for ToolCall { id, name, .. } in &calls {
            for piece in ["{", "}"] {
                deltas(ModelDelta::ToolCall(ToolCallDelta::new(Arc::clone(id), Arc::clone(name), piece)));
            }
        }
        // The test is about the pieces, and not about the calls.
        Err(ModelError::Malformed("enough".to_owned()))
    })
}

#[tokio::test]
async fn a8_the_work_for_pieces_grows_with_the_number_of_calls() {
    let echo = Echo::builder().model(many_calls(40_000)).build().await.unwrap();
    let mut stream = echo.stream("go");
    let begun = std::time::Instant::now();
    let mut pieces = 0;
    while let Some(event) = stream.next().await {
        pieces += usize::from(matches!(event.kind, EventKind::ToolCallDelta { .. }));
    }
    assert!(pieces >= 40_000, "{pieces}");
    // Comparing each call with all others took minutes.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a8_pieces_of_a_call_have_its_id_also_if_the_model_repeats_ids() {
    let echo = Echo::builder().model(same_ids()).build().await.unwrap();
    let (mut order, mut stream) = (Order::default(), echo.stream("go"));
    while let Some(event) = stream.next().await {
        order.next(&event);
    }
    order.end();
    let output = stream.output().await.unwrap();
    let ids: BTreeSet<_> = output.tool_calls.iter().map(|call| &call.call_id).collect();
    assert_eq!((output.tool_calls.len(), ids.len()), (9, 9));
    let unread = echo.run("go").await.unwrap();
    let ids =
        |output: &RunOutput| output.tool_calls.iter().map(|call| call.call_id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&unread), ids(&output));
}
