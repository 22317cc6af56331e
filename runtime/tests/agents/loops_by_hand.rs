//! Loops by hand: turns of the model, tool calls and messages of an `impl Agent`.

use std::sync::Arc;
use std::time::Duration;

use onionskin::content::ContentBlock;
use onionskin::declaration::{AgentDeclaration, HistoryMergeTarget, Limits};
use onionskin::event::{Event, EventKind};
use onionskin::journal::MemoryJournal;
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestParams, ToolCall,
    ToolResultMessage,
};
use onionskin::run::{AgentRun, MisuseError};
use onionskin::{
    Agent, CancellationToken, Exit, RunError, ScriptedModel, ScriptedTurn, State, ToolResult, agent, tool,
};
use serde_json::json;

use super::support::{Count, texts};

/// Adds one.
#[tool]
pub(super) fn add_one(x: i64, count: State<Count>) -> i64 {
    count.up();
    x + 1
}

/// Fails.
#[tool(instructions = "Do not call `fails`.")]
fn fails() -> ToolResult<String> {
    Err(Exit::retry("again"))
}

/// Ends the run.
#[tool(stop_after)]
fn finish(text: String) -> String {
    text
}

/// Never ends.
#[tool]
async fn hangs() -> String {
    std::future::pending().await
}

agent! {
    Helper { name: "helper", description: "Helps.", instruction: "Help." }
}

pub(super) fn declare() -> AgentDeclaration {
    AgentDeclaration::new()
        .description("Works.")
        .instruction("Work.")
        .tool(add_one::default())
        .tool(fails::default())
        .tool(finish::default())
        .tool(hangs::default())
        .child::<Helper>()
        .history_merge_target(HistoryMergeTarget::Orchestrator)
}

macro_rules! by_hand {
    ($name:ident, |$run:ident, $input:ident| $body:expr) => {
        pub(super) struct $name;
        impl Agent for $name {
            const NAME: &'static str = "worker";
            type State = Count;
            fn declare() -> AgentDeclaration {
                declare()
            }
            async fn run($run: &AgentRun, $input: String) -> Result<String, RunError> {
                $body
            }
        }
    };
}

pub(super) use by_hand;

by_hand!(Converses, |run, input| run.converse(input).await);

by_hand!(Loops, |run, input| {
    run.append(Message::user(input))?;
    loop {
        let response = run.ask().await?;
        if response.tool_calls.is_empty() {
            return Ok(response.text);
        }
        if let Some(answer) = run.call_tools(&response.tool_calls).await?.into_answer() {
            return Ok(answer);
        }
    }
});

pub(super) fn add(x: i64) -> ScriptedTurn {
    ScriptedTurn::call("add_one", json!({ "x": x }))
}

pub(super) fn answer(text: &str) -> ScriptedTurn {
    ScriptedTurn::say(text)
}

/// All that shows of a run: its events, its end, its history, its journal's steps.
async fn traces<A: Agent<State = Count>>(
    turns: Vec<ScriptedTurn>,
    limits: Limits,
) -> (Vec<Event>, String, Vec<Message>, Vec<String>) {
    let journal = Arc::new(MemoryJournal::default());
    let model = ScriptedModel::new().agent("worker", turns).agent("helper", [answer("helped")]);
    let builder =
        A::builder().model(model).state(Count::default()).limits(limits).journal(Arc::clone(&journal));
    let handle = builder.build().await.unwrap();
    let session = handle.session();
    let mut stream = handle.request("go").session(&session).run_id("r").stream();
    let mut events = Vec::new();
    while let Some(mut event) = stream.next().await {
        if let EventKind::ToolFinished { duration, .. } = &mut event.kind {
            *duration = Duration::ZERO;
        }
        events.push(event);
    }
    let end = stream.output().await.map_or_else(|error| error.to_string(), |output| output.text);
    (events, end, session.history().to_vec(), journal.steps("r"))
}

#[tokio::test]
async fn a7_a_loop_by_hand_does_what_converse_does() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        limits
    };
    let helped =
        || add(1).and_call("agent__helper", json!({ "input": "one" })).and_call_unknown("nothing", json!({}));
    let retries = || ScriptedTurn::call("fails", json!({}));
    for (turns, limits, expected) in [
        (vec![answer("done")], Limits::default(), "done"),
        // The answer of the child counts in the script: its conversation is merged.
        (vec![helped(), answer("-"), add(2), answer("{last}")], Limits::default(), "3"),
        (vec![add(1).and_call("finish", json!({ "text": "enough" }))], Limits::default(), "enough"),
        (vec![add(1), add(2), answer("done")], limits(|limits| limits.turns = 2), "limit of 2 model turns"),
        (
            vec![add(1).and_call("add_one", json!({ "x": 2 })), answer("{last}")],
            limits(|limits| limits.tool_calls = Some(1)),
            "limit of 1",
        ),
        (
            vec![retries(), retries(), answer("done")],
            limits(|limits| limits.max_retries = 1),
            "a retry 2 times",
        ),
    ] {
        let by_hand = traces::<Loops>(turns.clone(), limits.clone()).await;
        assert!(by_hand.1.contains(expected), "{}", by_hand.1);
        assert_eq!(by_hand, traces::<Converses>(turns, limits).await);
    }
}

#[tokio::test]
async fn a7_a_turn_by_hand_changes_parts_of_its_request_and_no_other_turn() {
    by_hand!(Changes, |run, input| {
        run.append(Message::user(input))?;
        let mut params = RequestParams::default();
        params.temperature = Some(0.5);
        let plan =
            run.ask().without_tools().instruction("Plan.").request_params(params).model("large").await?;
        assert_eq!(plan.text, "first");
        run.append(Message::user("Now do it."))?;
        let act = run.ask().only_tools(["add_one", "fails", "add_one"]).await?;
        assert_eq!(run.call_tools(&act.tool_calls).await?.results()[0].content[0].as_text(), Some("2"));
        Ok(run.ask().await?.text)
    });
    let model = Arc::new(ScriptedModel::turns([answer("first"), add(1), answer("done")]));
    let output =
        Changes::builder().model(Arc::clone(&model)).state(Count::default()).run("go").await.unwrap();
    assert_eq!((&*output.text, output.turns, output.tool_calls.len()), ("done", 3, 1));
    let requests = model.requests();
    let tools = |index: usize| requests[index].tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>();
    let system = |index: usize| requests[index].system.as_deref().unwrap();
    assert_eq!((system(0), tools(0)), ("Works.\n\nPlan.", vec![]));
    assert_eq!((requests[0].params.temperature, requests[0].model.as_deref()), (Some(0.5), Some("large")));
    assert_eq!((system(1), tools(1)), ("Works.\n\nWork.\n\nDo not call `fails`.", vec!["add_one", "fails"]));
    assert_eq!((system(2), tools(2).len()), ("Works.\n\nWork.\n\nDo not call `fails`.", 5));
    assert_eq!((requests[2].params.temperature, requests[2].model.as_deref()), (None, None));
}

#[tokio::test]
async fn a7_a_tool_that_a_turn_does_not_offer_is_unknown_in_it() {
    by_hand!(Offers, |run, input| {
        run.append(Message::user(input))?;
        let response = run.ask().without_tools().await?;
        let results = run.call_tools(&response.tool_calls).await?;
        assert!(results.results()[0].is_error);
        let error = run.ask().only_tools(["ad_one"]).await.unwrap_err();
        assert!(error.to_string().contains("no tool `ad_one` to offer; did you mean `add_one`?"), "{error}");
        Ok(results.results()[0].content[0].as_text().unwrap().to_owned())
    });
    let count = Count::default();
    let model = ScriptedModel::turns([ScriptedTurn::call_unknown("add_one", json!({ "x": 1 }))]);
    let output = Offers::builder().model(model).state(count.clone()).run("go").await.unwrap();
    assert_eq!(output.turns, 1, "a turn that is refused does not count");
    assert!(output.text.contains("add_one"), "{}", output.text);
    assert_eq!(count.get(), 0);
}

fn misuse<T: std::fmt::Debug>(result: Result<T, RunError>) -> MisuseError {
    match result.unwrap_err() {
        RunError::Misuse { source, .. } => source,
        other => panic!("{other:?}"),
    }
}

fn result(call: &ToolCall, text: &str) -> ToolResultMessage {
    ToolResultMessage::new(call.id.clone(), call.name.clone(), vec![ContentBlock::Text(text.to_owned())])
}

#[tokio::test]
async fn a7_a_loop_by_hand_cannot_split_a_call_from_its_result() {
    by_hand!(Errs, |run, input| {
        assert_eq!(misuse(run.ask().await), MisuseError::EmptyConversation);
        let stray = ToolCall::new("stray", "add_one", r#"{"x": 1}"#);
        let unknown =
            |error| matches!(error, MisuseError::UnknownCall { call_id, .. } if &*call_id == "stray");
        assert!(unknown(misuse(run.call_tools(std::slice::from_ref(&stray)).await)));
        run.append(Message::user(input))?;
        let calls = run.ask().await?.tool_calls;
        let before = run.messages();
        let open = |error| matches!(error, MisuseError::OpenCall { tool, .. } if &*tool == "add_one");
        assert!(open(misuse(run.ask().await)));
        assert!(open(misuse(run.converse("more".to_owned()).await)));
        assert!(open(misuse(run.append(Message::user("more")))));
        assert!(open(misuse(run.append(Message::assistant("more")))));
        assert!(unknown(misuse(run.call_tools(&[calls[0].clone(), stray.clone()]).await)));
        assert!(unknown(misuse(run.append(Message::tool(vec![result(&stray, "2")])))));
        let twice = [calls[0].clone(), calls[0].clone()];
        assert!(matches!(misuse(run.call_tools(&twice).await), MisuseError::AnsweredCall { .. }));
        let changed = ToolCall::new(calls[0].id.clone(), "add_one", r#"{"x": 9}"#);
        assert!(matches!(misuse(run.call_tools(&[changed]).await), MisuseError::ChangedCall { .. }));
        assert_eq!(run.messages(), before);

        // Calls are answered in part, in any order; the conversation gets all results at once, in the order of the calls.
        run.append(Message::tool(vec![result(&calls[2], "by hand")]))?;
        let results = run.call_tools(&calls[1..2]).await?;
        assert_eq!(&*results.results()[0].call_id, &*calls[1].id);
        assert_eq!(run.messages(), before);
        assert!(matches!(misuse(run.call_tools(&calls).await), MisuseError::AnsweredCall { .. }));
        assert!(open(misuse(run.ask().await)));
        let results = run.call_tools(&calls[..1]).await?;
        assert_eq!(results.results().len(), 1);
        assert!(matches!(run.messages().last(), Some(Message::Tool { results, .. })
            if results.iter().map(|result| &result.call_id).eq(calls.iter().map(|call| &call.id))));
        assert!(matches!(misuse(run.call_tools(&calls).await), MisuseError::AnsweredCall { .. }));
        Ok(texts(&run.messages()).join(" | "))
    });
    let count = Count::default();
    let three = add(1).and_call("add_one", json!({ "x": 2 })).and_call("add_one", json!({ "x": 3 }));
    let output =
        Errs::builder().model(ScriptedModel::turns([three])).state(count.clone()).run("go").await.unwrap();
    assert_eq!(output.text, "go |  | 2\n3\nby hand");
    assert_eq!(count.get(), 2);
    let steps: Vec<_> = output.tool_calls.iter().map(|call| call.step.to_string()).collect();
    assert_eq!(steps, ["turn 1/call 2/tool add_one", "turn 1/call 1/tool add_one"]);
}

#[tokio::test]
async fn a7_a_loop_by_hand_can_make_calls_itself() {
    by_hand!(Makes, |run, input| {
        run.append(Message::user(input))?;
        let said = |calls: &[ToolCall]| Message::from(ModelResponse::tool_calls(calls.to_vec()));
        let calls =
            [ToolCall::new("a", "add_one", r#"{"x": 1}"#), ToolCall::new("b", "add_one", r#"{"x": 2}"#)];
        run.append(said(&calls))?;
        let results = run.call_tools(&calls).await?;
        assert_eq!(results.results().len(), 2);
        for wrong in ["a", ""] {
            let error = misuse(run.append(said(&[ToolCall::new(wrong, "add_one", "{}")])));
            assert!(matches!(error, MisuseError::UsedId { .. }));
        }
        let twins = [ToolCall::new("c", "add_one", "{}"), ToolCall::new("c", "add_one", "{}")];
        assert!(matches!(misuse(run.append(said(&twins))), MisuseError::UsedId { .. }));
        run.call_tool("add_one", r#"{"x": 3}"#).await.unwrap();
        run.append(said(&[ToolCall::new("c", "add_one", r#"{"x": 4}"#)]))?;
        run.append(Message::tool(vec![ToolResultMessage::new("c", "add_one", vec![])]))?;
        Ok(run.ask().await?.text)
    });
    // The script counts the answers in the conversation, the two of the loop too.
    let model = ScriptedModel::turns([answer("-"), answer("-"), answer("done")]);
    let output = Makes::builder().model(model).state(Count::default()).run("go").await.unwrap();
    let steps: Vec<_> = output.tool_calls.iter().map(|call| call.step.to_string()).collect();
    let expected = ["call 1", "call 2", "call 3"].map(|call| format!("turn 0/{call}/tool add_one"));
    assert_eq!(steps, expected);
}

/// Takes its time.
pub(super) struct Slow(pub(super) ScriptedModel);

impl Model for Slow {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.0.respond(request, deltas).await
    }
}

#[tokio::test]
async fn a7_a_conversation_has_one_turn_at_a_time() {
    by_hand!(Hasty, |run, input| {
        run.append(Message::user(input))?;
        let meanwhile = async {
            tokio::task::yield_now().await;
            (run.ask().await, run.append(Message::user("more")))
        };
        let (first, (second, appended)) = tokio::join!(run.ask(), meanwhile);
        assert_eq!(misuse(second), MisuseError::AskInProgress);
        assert_eq!(misuse(appended), MisuseError::AskInProgress);
        assert_eq!(first?.text, "slow");
        Ok(run.ask().await?.text)
    });
    let model = ScriptedModel::turns([answer("slow"), answer("done")]);
    let output = Hasty::builder().model(Slow(model)).state(Count::default()).run("go").await.unwrap();
    assert_eq!(output.text, "done");
}

/// Each call has one result, right behind it.
pub(super) fn is_whole(history: &[Message]) {
    let mut open: Vec<Arc<str>> = Vec::new();
    for message in history {
        match message {
            Message::Tool { results, .. } => {
                assert!(results.iter().map(|result| &result.call_id).eq(&open), "{history:?}");
                open.clear();
            }
            other => {
                assert!(open.is_empty(), "{history:?}");
                open = other.tool_calls().iter().map(|call| call.id.clone()).collect();
            }
        }
    }
    assert!(open.is_empty(), "{history:?}");
}

#[tokio::test(start_paused = true)]
async fn a7_a_loop_by_hand_that_ends_anywhere_leaves_a_whole_history() {
    by_hand!(Ends, |run, input| {
        let how = input.clone();
        run.append(Message::user(input))?;
        let calls = run.ask().await?.tool_calls;
        match &*how {
            "gives up" => return Ok("enough".to_owned()),
            "in part" => drop(run.call_tools(&calls[1..2]).await?),
            "sleeps" => tokio::time::sleep(Duration::from_mins(1)).await,
            "fails" => run.converse("more".to_owned()).await.map(drop)?,
            _ => {
                let cut = tokio::time::timeout(Duration::from_millis(5), run.call_tools(&calls[..2])).await;
                assert!(cut.is_err());
                // The call that was cut has a result; the last one is still to run.
                assert_eq!(run.call_tools(&calls[2..]).await?.results().len(), 1);
            }
        }
        Ok("ended".to_owned())
    });
    for (how, expected) in [
        ("gives up", ["did not run"; 3]),
        ("in part", ["did not run", "2", "did not run"]),
        ("sleeps", ["did not run"; 3]),
        ("fails", ["did not run"; 3]),
        ("is cut", ["cancelled before it finished", "2", "4"]),
    ] {
        let three = ScriptedTurn::call("hangs", json!({}))
            .and_call("add_one", json!({ "x": 1 }))
            .and_call("add_one", json!({ "x": 3 }));
        let handle = Ends::builder()
            .model(ScriptedModel::turns([three]))
            .state(Count::default())
            .build()
            .await
            .unwrap();
        let session = handle.session();
        let token = CancellationToken::new();
        let run = handle.request(how).session(&session).cancellation(token.clone()).run();
        let cancel = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            token.cancel();
        };
        let (end, ()) = tokio::join!(run, cancel);
        assert_eq!(end.is_err(), how == "sleeps" || how == "fails", "{how}: {end:?}");
        let history = session.history().to_vec();
        is_whole(&history);
        let Some(Message::Tool { results, .. }) = history.last() else { panic!("{history:?}") };
        let told: Vec<_> = results.iter().map(|result| result.content[0].as_text().unwrap()).collect();
        assert!(told.iter().zip(expected).all(|(told, part)| told.contains(part)), "{how}: {told:?}");
    }
}

#[tokio::test]
async fn a5_a_child_that_is_called_between_a_call_and_its_result_is_merged_behind_the_result() {
    by_hand!(Between, |run, input| {
        run.append(Message::user(input))?;
        let calls = run.ask().await?.tool_calls;
        run.call_tool("agent__helper", json!({ "input": "one" }).to_string()).await.unwrap();
        drop(run.call_tools(&calls).await?);
        Ok("ended".to_owned())
    });
    let model = ScriptedModel::new().agent("worker", [add(1)]).agent("helper", [answer("helped")]);
    let handle = Between::builder().model(model).state(Count::default()).build().await.unwrap();
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap();
    is_whole(&session.history().to_vec());
    assert_eq!(texts(&session.history())[..5], ["go", "", "2", "one", "helped"]);
}
