//! O5: runs that are answered from their journal, and those that cannot be.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::event::CallOutcome;
use onionskin::journal::{
    Journal, JournalError, JournalErrorKind, MemoryJournal, Step, StepRecord, StepWork,
};
use onionskin::{
    Args, ErrorKind, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult,
    agent, hooks, tool, tool_hook,
};
use serde_json::json;

use crate::cut::StepResult;
use crate::support::diverged_at;

/// How often the tool ran.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

/// Adds one.
#[tool]
fn add_one(count: State<Count>, x: i64) -> i64 {
    count.0.fetch_add(1, Ordering::SeqCst);
    x + 1
}

/// Never answers.
#[tool]
async fn wait_for_ever(count: State<Count>) {
    count.0.fetch_add(1, Ordering::SeqCst);
    std::future::pending::<()>().await;
}

/// Adds ten to `x`.
#[tool_hook]
async fn shift(args: &mut Args, next: impl Next) -> ToolResult {
    let x = args.get("x").and_then(serde_json::Value::as_i64).unwrap_or_default();
    args.insert("x", x + 10).ok();
    next.run(args).await
}

agent! {
    Adder { name: "adder", instruction: "Add.", state: Count, function_tools: [add_one] }
    Shifted { name: "adder", instruction: "Add.", state: Count, function_tools: [add_one], tool_hooks: [shift] }
    Slow {
        name: "slow", description: "Waits.", instruction: "Wait.", state: Count, function_tools: [wait_for_ever],
        limits: { time_sec: 5 },
    }
    Clerk {
        name: "clerk", description: "Adds.", instruction: "Add.", state: Count, function_tools: [add_one],
    }
    Head { name: "head", instruction: "Ask.", state: Count, agents: [Clerk, Slow] }
}

fn adds() -> [ScriptedTurn; 2] {
    [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")]
}

/// The parts of an output that do not depend on time.
fn parts(mut output: RunOutput) -> RunOutput {
    for call in &mut output.tool_calls {
        call.duration = Duration::ZERO;
    }
    output
}

/// Draws lots, twice at the second attempt.
#[tool(effect = pure)]
async fn draw(cx: &ToolContext) -> Result<u64, u64> {
    let lot = cx.random().await;
    if cx.attempt() < 2 { Err(lot) } else { Ok(cx.random().await) }
}

/// Draws lots around calls.
#[tool_hook]
async fn draws_too(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let first = cx.random().await;
    let mut output = next.run(args).await?;
    output.push_text(format!(" {first} {}", cx.random().await));
    Ok(output)
}

agent! {
    Lottery {
        name: "lottery", instruction: "Draw.", function_tools: [draw], tool_hooks: [draws_too, hooks::retry(2)],
    }
}

#[tokio::test(start_paused = true)]
async fn o5_a_hook_reads_the_same_in_a_replay_whatever_the_tool_read() {
    let journal = Arc::new(MemoryJournal::default());
    let mut texts = Vec::new();
    for _ in 0..2 {
        let model =
            ScriptedModel::turns([ScriptedTurn::call("draw", json!({})), ScriptedTurn::say("{last}")]);
        let lottery = Lottery::builder().model(model).journal(Arc::clone(&journal)).build().await.unwrap();
        texts.push(lottery.request("go").run_id("lots").run().await.unwrap().text);
    }
    assert_eq!(texts[0], texts[1]);
}

#[tokio::test(start_paused = true)]
async fn o5_a_model_error_is_not_recorded() {
    let (journal, count) = (Arc::new(MemoryJournal::default()), Count::default());
    let [call, say] = adds();
    let run = async |last: ScriptedTurn| {
        let model = ScriptedModel::turns([call.clone(), last]);
        let adder = Adder::builder().state(count.clone()).model(model).journal(Arc::clone(&journal));
        adder.build().await.unwrap().request("go").run_id("sum").run().await
    };
    // The first error is asked for again, the second one is not.
    for status in [503, 400] {
        let end = run(ScriptedTurn::fail(status)).await;
        assert!(matches!(end, Err(RunError::Model { .. })), "{end:?}");
        assert_eq!(journal.steps("sum"), ["turn 1/call 1/tool add_one", "turn 1/model"]);
    }
    assert_eq!(run(say).await.unwrap().text, "2", "it goes on where the model failed");
    assert_eq!(run(ScriptedTurn::fail(400)).await.unwrap().text, "2", "and needs no model from now on");
    assert_eq!(count.0.load(Ordering::SeqCst), 1);
}

/// A failed run leaves what it did in its session, so the session is no longer the one that the run began with.
#[tokio::test(start_paused = true)]
async fn o5_a_run_that_failed_goes_on_in_a_session_as_it_was_before() {
    let (journal, count) = (Arc::new(MemoryJournal::default()), Count::default());
    let [call, say] = adds();
    let adder = async |last: ScriptedTurn| {
        let model = ScriptedModel::turns([ScriptedTurn::say("hello"), call.clone(), last]);
        let adder = Adder::builder().state(count.clone()).model(model).journal(Arc::clone(&journal));
        adder.build().await.unwrap()
    };
    let (fails, answers) = (adder(ScriptedTurn::fail(400)).await, adder(say).await);
    let session = fails.session();
    fails.request("hi").session(&session).run().await.unwrap();
    let before = session.history();
    let end = fails.request("go").session(&session).run_id("sum").run().await;
    assert!(matches!(end, Err(RunError::Model { .. })), "{end:?}");

    let end = answers.request("go").session(&session).run_id("sum").run().await;
    assert_eq!(diverged_at(end), "turn 1/model");

    let again = answers.session();
    again.set_history(before.clone()).unwrap();
    let output = answers.request("go").session(&again).run_id("sum").run().await.unwrap();
    assert_eq!((output.text.as_str(), count.0.load(Ordering::SeqCst)), ("2", 1));
    assert_eq!(again.history().len(), before.len() + 4);
}

#[tokio::test]
async fn o5_another_input_under_the_id_of_a_run_is_refused() {
    let journal = Arc::new(MemoryJournal::default());
    let adder = Adder::builder().state(Count::default()).model(ScriptedModel::turns(adds()));
    let adder = adder.journal(Arc::clone(&journal)).build().await.unwrap();
    adder.request("one").run_id("sum").run().await.unwrap();
    let end = adder.request("another").run_id("sum").run().await;
    let text = end.as_ref().unwrap_err().to_string();
    assert!(
        text.starts_with(
            "the run of `adder` was ended: step `turn 1/model` differs from its record in the run `sum`"
        ),
        "{text}"
    );
    assert_eq!(diverged_at(end), "turn 1/model");
}

#[tokio::test]
async fn o5_a_changed_program_is_refused_at_the_step_that_differs() {
    let journal = Arc::new(MemoryJournal::default());
    let adder = Adder::builder().state(Count::default()).model(ScriptedModel::turns(adds()));
    adder
        .journal(Arc::clone(&journal))
        .build()
        .await
        .unwrap()
        .request("go")
        .run_id("sum")
        .run()
        .await
        .unwrap();
    let count = Count::default();
    let shifted = Shifted::builder().state(count.clone()).model(ScriptedModel::turns(adds()));
    let shifted = shifted.journal(Arc::clone(&journal)).build().await.unwrap();
    assert_eq!(diverged_at(shifted.request("go").run_id("sum").run().await), "turn 1/call 1/tool add_one");
    assert_eq!(count.0.load(Ordering::SeqCst), 0);
}

/// Gives records back with another text in their place.
struct Altered(MemoryJournal, fn(String) -> String);

impl Journal for Altered {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        Box::pin(async move {
            let record = self.0.step(step, work).await?;
            let text = (self.1)(serde_json::to_string(&record).unwrap());
            serde_json::from_str(&text).map_err(|error| JournalError::corrupt(step, error))
        })
    }
}

#[tokio::test]
async fn o5_a_record_that_cannot_be_read_ends_the_run() {
    type Alter = fn(String) -> String;
    let alterations: [(Alter, &str); 3] = [
        (|text| text[..text.len() - 1].to_owned(), "cannot be read: EOF while parsing an object"),
        (|text| text.replace("\"version\":1", "\"version\":7"), "has version 7"),
        (|text| text.replace("\"text\":", "\"words\":"), "cannot be read: missing field `text`"),
    ];
    for (alter, expected) in alterations {
        let adder = Adder::builder().state(Count::default()).model(ScriptedModel::turns(adds()));
        let end = adder.journal(Altered(MemoryJournal::default(), alter)).run("go").await;
        let Err(RunError::Journal { source, .. }) = end else { panic!("{end:?}") };
        assert_eq!((source.kind(), source.step()), (JournalErrorKind::Corrupt, "turn 1/model"), "{source}");
        assert!(source.to_string().contains(expected), "{source}");
    }
}

#[tokio::test]
async fn o5_a_replay_reports_what_the_children_did() {
    let journal = Arc::new(MemoryJournal::default());
    let count = Count::default();
    let model = ScriptedModel::new().agent("clerk", adds()).agent(
        "head",
        [
            ScriptedTurn::call("agent__clerk", json!({ "input": "1" }))
                .and_call("agent__clerk", json!({ "input": "2" })),
            ScriptedTurn::say("{last}"),
        ],
    );
    let model = Arc::new(model);
    let head = Head::builder().state(count.clone()).model(Arc::clone(&model)).journal(Arc::clone(&journal));
    let head = head.build().await.unwrap();
    let run = async || parts(head.request("go").run_id("sums").run().await.unwrap());
    let first = run().await;
    assert_eq!((first.tool_calls.len(), count.0.load(Ordering::SeqCst)), (4, 2));
    let asked = model.requests().len();
    assert_eq!(run().await, first);
    assert_eq!((model.requests().len(), count.0.load(Ordering::SeqCst)), (asked, 2));
}

/// Stores its records without the ids of the runs.
#[derive(Default)]
struct OneForAll(Mutex<BTreeMap<String, StepRecord>>);

impl Journal for OneForAll {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        Box::pin(async move {
            let key = step.id().to_string();
            let known = self.0.lock().unwrap().get(&key).cloned();
            if let Some(record) = known {
                return Ok(record);
            }
            let record = work().await?;
            self.0.lock().unwrap().insert(key, record.clone());
            Ok(record)
        })
    }
}

#[tokio::test]
async fn o5_the_record_of_another_run_is_refused_at_the_first_step() {
    let journal = Arc::new(OneForAll::default());
    let count = Count::default();
    let model = Arc::new(ScriptedModel::turns(adds().into_iter().chain(adds())));
    let adder = Adder::builder().state(count.clone()).model(Arc::clone(&model)).journal(journal);
    let adder = adder.build().await.unwrap();
    assert_eq!(adder.request("go").run_id("one").run().await.unwrap().text, "2");
    assert_eq!(adder.request("go").run_id("one").run().await.unwrap().text, "2", "a replay of the same run");
    let asked = model.requests().len();
    let end = adder.request("go").run_id("two").run().await;
    let text = end.as_ref().unwrap_err().to_string();
    assert!(text.contains("it was recorded for another request, another state or another run"), "{text}");
    assert!(text.contains("the state and the tools of servers that it began with"), "{text}");
    assert_eq!(diverged_at(end), "turn 1/model");
    assert_eq!((model.requests().len(), count.0.load(Ordering::SeqCst)), (asked, 1));
}

/// Otherwise the child would continue in the replay, and the parent would get another result.
#[tokio::test(start_paused = true)]
async fn o5_a_child_that_failed_stays_failed_in_a_replay() {
    let journal = Arc::new(MemoryJournal::default());
    let count = Count::default();
    let model = ScriptedModel::new().agent("slow", [ScriptedTurn::call("wait_for_ever", json!({}))]).agent(
        "head",
        [ScriptedTurn::call("agent__slow", json!({ "input": "wait" })), ScriptedTurn::say("{last}")],
    );
    let head = Head::builder().state(count.clone()).model(model).journal(Arc::clone(&journal));
    let head = head.build().await.unwrap();
    for _ in 0..2 {
        let output = head.request("go").run_id("waits").run().await.unwrap();
        let call = output.tool_calls.iter().find(|call| &*call.tool == "agent__slow").unwrap();
        assert!(
            matches!(call.outcome, Some(CallOutcome::Error(ErrorKind::Failed | ErrorKind::Timeout))),
            "{call:?}"
        );
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
    }
}

agent! {
    Patient {
        name: "patient", description: "Waits.", instruction: "Wait.", state: Count, function_tools: [wait_for_ever],
    }
    Hasty {
        name: "hasty", instruction: "Ask.", state: Count, agents: [Patient], limits: { time_sec: 5 },
    }
}

/// The child failed because its caller's time was up, so it continues when the run does.
#[tokio::test(start_paused = true)]
async fn o5_a_child_that_its_callers_time_ended_is_continued() {
    let journal = Arc::new(MemoryJournal::default());
    let count = Count::default();
    for runs in 1..=2 {
        let model =
            ScriptedModel::new().agent("patient", [ScriptedTurn::call("wait_for_ever", json!({}))]).agent(
                "hasty",
                [
                    ScriptedTurn::call("agent__patient", json!({ "input": "wait" })),
                    ScriptedTurn::say("{last}"),
                ],
            );
        let hasty = Hasty::builder().state(count.clone()).model(model).journal(Arc::clone(&journal));
        let end = hasty.build().await.unwrap().request("go").run_id("waits").run().await;
        assert!(matches!(end, Err(RunError::Limit { .. })), "{end:?}");
        assert_eq!(count.0.load(Ordering::SeqCst), runs, "{:?}", journal.steps("waits"));
    }
}
