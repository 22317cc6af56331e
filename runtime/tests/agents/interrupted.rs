//! A7: what is dropped, cancelled or cut off half way still tells its end and leaves a history that can go on.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::event::{CallOutcome, Event, EventKind};
use onionskin::journal::{Journal, JournalError, JournalErrorKind, Step, StepRecord, StepWork};
use onionskin::model::{Message, Model, ModelResponse, ToolCall};
use onionskin::run::{AgentRun, RunStream};
use onionskin::{
    Agent, CancellationToken, ErrorKind, Exit, Progress, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    agent, tool,
};
use serde_json::json;
use tokio::time::timeout;

use crate::answers::answers;

const SOON: Duration = Duration::from_secs(10);

/// Never ends.
#[tool]
async fn hangs() -> String {
    std::future::pending().await
}

/// Works.
#[tool]
fn works() -> String {
    "done".to_owned()
}

macro_rules! by_hand {
    ($name:ident, |$run:ident| $body:expr) => {
        struct $name;
        impl Agent for $name {
            const NAME: &'static str = stringify!($name);
            type State = ();
            fn declare() -> AgentDeclaration {
                AgentDeclaration::new().tool(works::default()).tool(hangs::default())
            }
            async fn run($run: &AgentRun, _: String) -> Result<String, RunError> {
                $body
            }
        }
    };
}

struct Broken;

impl Journal for Broken {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        _: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        Box::pin(async move { Err(JournalError::storage(step, "the disk is full")) })
    }
}

#[tokio::test]
async fn a7_a_failing_journal_ends_a_hand_written_agent() {
    by_hand!(Calls, |run| {
        let end = run.call_tool("works", "{}").await;
        Ok(format!("{end:?}"))
    });
    let run = Calls::builder().model(ScriptedModel::new()).journal(Broken).run("go");
    let end = timeout(SOON, run).await.expect("it does not hang");
    assert!(
        matches!(&end, Err(RunError::Journal { source, .. })
            if source.kind() == JournalErrorKind::Storage && source.to_string().contains("disk is full")),
        "{end:?}"
    );
}

#[tokio::test]
async fn a7_a_hand_written_agent_is_cancelled_and_held_to_its_time() {
    by_hand!(Sleeps, |_run| std::future::pending().await);
    let handle = Sleeps::builder().model(ScriptedModel::new()).build().await.unwrap();
    let token = CancellationToken::new();
    token.cancel();
    let end = timeout(SOON, handle.request("go").cancellation(token).run()).await.expect("it does not hang");
    assert!(matches!(end, Err(RunError::Cancelled { .. })), "{end:?}");

    let mut limits = Limits::default();
    limits.time = Some(Duration::from_millis(20));
    let run = Sleeps::builder().model(ScriptedModel::new()).limits(limits).run("go");
    let end = timeout(SOON, run).await.expect("it does not hang");
    assert!(matches!(end, Err(RunError::Limit { .. })), "{end:?}");
}

#[tokio::test]
async fn a7_a_time_limit_without_an_end_is_no_limit() {
    by_hand!(Quick, |_run| Ok("done".to_owned()));
    let mut limits = Limits::default();
    limits.time = Some(Duration::MAX);
    let output = Quick::builder().model(ScriptedModel::new()).limits(limits).run("go").await.unwrap();
    assert_eq!(output.text, "done");
}

#[tokio::test]
async fn a7_direct_calls_are_reported_and_counted() {
    by_hand!(Twice, |run| {
        run.call_tool("works", "{}").await.map_err(|exit| fail(&exit))?;
        let second = run.call_tool("works", "{}").await;
        let third = run.call_tool("wroks", "{}").await;
        assert_eq!(kind(&third.unwrap_err()), Some(ErrorKind::Limit));
        Ok(format!("{:?}", kind(&second.unwrap_err())))
    });
    let mut limits = Limits::default();
    limits.tool_calls = Some(1);
    let output = Twice::builder().model(ScriptedModel::new()).limits(limits).run("go").await.unwrap();
    assert_eq!(output.text, "Some(Limit)");
    let outcomes: Vec<_> = output.tool_calls.iter().map(|call| call.outcome).collect();
    let refused = Some(CallOutcome::Error(ErrorKind::Limit));
    assert_eq!(outcomes, [Some(CallOutcome::Ok), refused, refused]);
}

fn kind(exit: &Exit) -> Option<ErrorKind> {
    exit.as_tool_error().map(onionskin::ToolError::kind)
}

fn fail(exit: &Exit) -> RunError {
    RunError::agent("by hand", exit.to_string())
}

#[tokio::test]
async fn a7_a_conversation_that_is_dropped_half_way_can_go_on() {
    by_hand!(GivesUp, |run| {
        let cut = timeout(Duration::from_millis(20), run.converse("go".to_owned())).await;
        assert!(cut.is_err());
        match run.messages().to_vec().as_slice() {
            [Message::User { .. }, Message::Assistant { tool_calls, .. }, Message::Tool { results, .. }] => {
                let called: Vec<_> = tool_calls.iter().map(|call| &call.id).collect();
                let told: Vec<_> = results.iter().map(|result| &result.call_id).collect();
                assert_eq!(called, told);
                let texts: Vec<_> = results.iter().map(|result| result.is_error).collect();
                assert_eq!(texts, [true, false]);
            }
            other => panic!("{other:?}"),
        }
        run.converse("and now?".to_owned()).await
    });
    let model = ScriptedModel::turns([
        ScriptedTurn::call("hangs", json!({})).and_call("works", json!({})),
        ScriptedTurn::say("done"),
    ]);
    let mut stream = GivesUp::builder().model(model).stream("go").await.unwrap();
    let events = all(&mut stream).await;
    assert_eq!(stream.output().await.unwrap().text, "done");
    ends_match(&events);
}

async fn all(stream: &mut RunStream) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = timeout(SOON, stream.next()).await.expect("it does not hang") {
        events.push(event);
    }
    events
}

/// Each beginning has just one end, after it.
fn ends_match(events: &[Event]) {
    let mut open: BTreeMap<(String, String), i32> = BTreeMap::new();
    let mut began = 0;
    for event in events {
        let agent = format!("{}/{}", event.step.scope(), event.agent);
        let (key, change) = match &event.kind {
            EventKind::RunStarted { .. } => ("run".to_owned(), 1),
            EventKind::RunFinished { .. } | EventKind::RunFailed { .. } => ("run".to_owned(), -1),
            EventKind::ToolStarted { call_id, .. } => (call_id.to_string(), 1),
            EventKind::ToolFinished { call_id, .. } => (call_id.to_string(), -1),
            _ => continue,
        };
        began += i32::from(change == 1);
        let count = open.entry((agent, key)).or_default();
        *count += change;
        assert!((0..=1).contains(count), "{event:?}");
    }
    assert!(began > 1);
    open.retain(|_, count| *count != 0);
    assert!(open.is_empty(), "without an end: {open:?}");
}

agent! {
    Hanging { name: "hanging", description: "Hangs.", instruction: "Hang.", function_tools: [hangs] }
    Patient { name: "patient", instruction: "Ask.", agents: [Hanging] }
    Impatient { name: "impatient", instruction: "Ask.", agents: [Hanging], child_timeout_sec: 0.05 }
}

fn asks(parent: &str) -> ScriptedModel {
    ScriptedModel::new()
        .agent(
            parent,
            [ScriptedTurn::call("agent__hanging", json!({"input": "go"})), ScriptedTurn::say("fine")],
        )
        .agent("hanging", [ScriptedTurn::call("hangs", json!({}))])
}

#[tokio::test]
async fn a8_what_began_in_a_child_ends_when_its_time_is_up() {
    let handle = Impatient::builder().model(asks("impatient")).build().await.unwrap();
    let mut stream = handle.stream("go");
    let events = all(&mut stream).await;
    assert_eq!(stream.output().await.unwrap().text, "fine");
    ends_match(&events);
}

#[tokio::test]
async fn a8_what_began_in_a_child_ends_when_the_run_is_cancelled() {
    let handle = Patient::builder().model(asks("patient")).build().await.unwrap();
    let token = CancellationToken::new();
    let mut stream = handle.request("go").cancellation(token.clone()).stream();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        token.cancel();
    };
    let (events, ()) = tokio::join!(all(&mut stream), cancel);
    assert!(matches!(stream.output().await, Err(RunError::Cancelled { .. })));
    ends_match(&events);
}

fn panics() -> impl Model {
    answers(move |_, _| panic!("a model's own words"))
}

#[tokio::test]
async fn a7_a_model_that_panics_fails_the_run_and_nothing_else() {
    let handle = Hanging::builder().model(panics()).build().await.unwrap();
    for _ in 0..2 {
        let error = timeout(SOON, handle.run("go")).await.expect("it does not hang").unwrap_err();
        assert!(error.to_string().contains("a model's own words"), "{error}");
    }
}

/// Says how long it may take.
#[tool]
fn left(ctx: &ToolContext) -> bool {
    ctx.deadline().is_some() && ctx.run().remaining().is_some_and(|left| left <= Duration::from_mins(1))
}

#[tokio::test]
async fn h3_a_childs_calls_know_their_parents_deadline() {
    agent! {
        Hurried { name: "hurried", description: "Looks.", instruction: "Look.", function_tools: [left] }
        Hurries { name: "hurries", instruction: "Ask.", agents: [Hurried], child_timeout_sec: 60 }
    }
    let model = ScriptedModel::new()
        .agent(
            "hurries",
            [ScriptedTurn::call("agent__hurried", json!({"input": "go"})), ScriptedTurn::say("done")],
        )
        .agent("hurried", [ScriptedTurn::call("left", json!({})), ScriptedTurn::say("done")]);
    let output = Hurries::builder().model(model).run("go").await.unwrap();
    let texts: Vec<_> = output.tool_calls.iter().map(|call| call.to_text()).collect();
    assert_eq!(texts, ["done", "true"]);
}

/// Waits and says how long.
#[tool]
async fn wait(ms: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

fn same_ids() -> impl Model {
    answers(move |request, _| {
        Ok(if request.messages.len() == 1 {
            ModelResponse::tool_calls(
                [r#"{"ms":60}"#, r#"{"ms":1}"#].map(|args| ToolCall::new("one", "wait", args)),
            )
        } else {
            ModelResponse::text("done")
        })
    })
}

#[tokio::test]
async fn a8_two_calls_with_one_id_keep_their_own_results() {
    agent! { Waiting { instruction: "Wait.", function_tools: [wait] } }
    let handle = Waiting::builder().model(same_ids()).build().await.unwrap();
    let session = handle.session();
    let output = handle.request("go").session(&session).run().await.unwrap();
    let reports: Vec<_> = output.tool_calls.iter().map(|call| call.to_text()).collect();
    assert_eq!(reports, ["60", "1"]);
    assert_eq!(session.history()[2].to_text(), "60\n1");
}

#[tokio::test]
async fn a8_events_from_another_thread_wake_the_reader_and_none_comes_after_the_end() {
    static SEEN: AtomicBool = AtomicBool::new(false);

    /// Reports from a thread of its own, during the call and after it.
    #[tool]
    async fn reports(progress: Progress, ctx: &ToolContext) -> String {
        let token = ctx.run().cancellation().clone();
        let (done, said) = tokio::sync::oneshot::channel::<()>();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            progress.report(1.0, None, None);
            // Nothing else wakes the reader until it has seen the report.
            while !SEEN.load(Ordering::Relaxed) && !token.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(done);
            while !token.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            progress.report(2.0, None, None);
        });
        let _ = said.await;
        "done".to_owned()
    }
    agent! { Reporting { instruction: "Report.", function_tools: [reports] } }
    let model = ScriptedModel::turns([ScriptedTurn::call("reports", json!({})), ScriptedTurn::say("done")]);
    let handle = Reporting::builder().model(model).build().await.unwrap();
    let mut stream = handle.stream("go");
    while let Some(event) = timeout(SOON, stream.next()).await.expect("it does not hang") {
        if matches!(event.kind, EventKind::Progress { .. }) {
            SEEN.store(true, Ordering::Relaxed);
        }
    }
    assert!(SEEN.load(Ordering::Relaxed));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(stream.next().await.is_none());
}
