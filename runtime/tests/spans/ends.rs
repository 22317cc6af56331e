//! How spans end: failures, refusals, further attempts, runs that are cancelled or dropped, panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::declaration::Limits;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::question::Answer;
use onionskin::{
    CancellationToken, Exit, RunError, ScriptedModel, ScriptedTurn, ToolResult, agent, hooks, tool, tool_hook,
};
use serde_json::{Value, json};

use super::recorder::Spans;

use crate::answers::answers;

const WORDS: &str = "the words of the error";

/// Fails.
#[tool]
async fn fails() -> Result<(), String> {
    Err(WORDS.to_owned())
}

/// Fails at first.
#[tool(effect = idempotent)]
async fn fails_at_first(tries: onionskin::State<Tries>) -> Result<&'static str, String> {
    if tries.0.fetch_add(1, Ordering::SeqCst) == 0 { Err(WORDS.to_owned()) } else { Ok("done") }
}

#[derive(Clone, Default)]
struct Tries(Arc<AtomicU32>);

/// Panics.
#[tool]
async fn panics() {
    panic!("{WORDS}");
}

/// Aborts.
#[tool]
async fn aborts() -> ToolResult<()> {
    Err(Exit::abort(WORDS))
}

/// Stops.
#[tool]
async fn stops() -> ToolResult<()> {
    Err(Exit::stop("enough"))
}

/// Waits for ever.
#[tool]
async fn waits() {
    std::future::pending::<()>().await;
}

/// Needs approval.
#[tool(approval)]
async fn pays() {}

/// Panics beside the tool.
#[tool_hook]
async fn breaks(args: &mut onionskin::Args, next: impl onionskin::Next) -> ToolResult {
    assert!(args.get("fine").is_some(), "{WORDS}");
    next.run(args).await
}

agent! {
    Worker {
        instruction: "Work.", description: "Works.", state: Tries,
        function_tools: [fails, fails_at_first, panics, aborts, stops, waits, pays],
        tool_hooks: [hooks::retry(2) for [fails_at_first], breaks for [waits]],
    }
    Waiter { instruction: "Wait.", description: "Waits.", function_tools: [waits] }
    Head { instruction: "Ask.", agents: [Waiter] }
}

/// The spans of a run in which the model calls this tool, and how the run ended.
async fn calling(tool: &str, args: Value) -> (Spans, Result<String, RunError>) {
    let (spans, _guard) = Spans::begin();
    let call = ScriptedTurn::call_unknown(tool, args);
    let model = ScriptedModel::turns([call, ScriptedTurn::say("over")]);
    let approver = |_: ApprovalRequest| async { Approval::deny(WORDS) };
    let worker = Worker::builder().model(model).state(Tries::default()).approver(approver);
    let end = worker.run("Go.").await.map(|output| output.text);
    // No span is open, and none quotes what an error says.
    spans.tree();
    assert!(!spans.text().contains(WORDS), "{}", spans.text());
    (spans, end)
}

#[tokio::test]
async fn o4_a_failed_call_has_the_kind_of_its_error() {
    let cases = [
        ("fails", json!({}), "failed"),
        ("fails", json!({ "extra": WORDS }), "arguments"),
        ("panics", json!({}), "panic"),
        ("pays", json!({}), "denied"),
        ("nothing", json!({}), "unknown_tool"),
    ];
    for (tool, args, kind) in cases {
        let (spans, end) = calling(tool, args).await;
        assert_eq!(end.unwrap(), "over");
        let call = spans.one(&format!("execute_tool {tool}"));
        assert_eq!(call.error(), Some(kind), "{tool}");
        assert_eq!(spans.one("invoke_agent Worker").error(), None, "the run continued after {tool}");
    }
}

#[tokio::test]
async fn o4_a_stop_is_no_error_and_an_abort_is_one() {
    let (spans, end) = calling("stops", json!({})).await;
    assert_eq!(end.unwrap(), "enough");
    assert_eq!(spans.one("execute_tool stops").error(), None);
    let (spans, end) = calling("aborts", json!({})).await;
    end.unwrap_err();
    assert_eq!(spans.one("execute_tool aborts").error(), Some("aborted"));
    assert_eq!(spans.one("invoke_agent Worker").error(), Some("aborted"));
    // A panic of a hook aborts.
    let (spans, end) = calling("waits", json!({})).await;
    end.unwrap_err();
    assert_eq!(spans.one("execute_tool waits").error(), Some("aborted"));
}

#[tokio::test(start_paused = true)]
async fn o4_attempts_of_a_call_are_in_one_span() {
    let (spans, _) = calling("fails_at_first", json!({})).await;
    let call = spans.one("execute_tool fails_at_first");
    assert_eq!((call.error(), call.field("onionskin.tool.attempts")), (None, Some(&json!(2))));
}

/// Overloaded at first.
struct Overloaded(AtomicU32);

impl Model for Overloaded {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(ModelError::status(529, WORDS, None)),
            1 => std::future::pending().await,
            _ => Ok(ModelResponse::text("here")),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn o4_each_request_to_the_model_has_its_span() {
    let (spans, _guard) = Spans::begin();
    let mut limits = Limits::default();
    limits.model_timeout = Duration::from_secs(5);
    let model = Overloaded(AtomicU32::new(0));
    Waiter::builder().model(model).limits(limits).run("Go.").await.unwrap();
    let chats = spans.named("chat");
    let ends: Vec<_> = chats.iter().map(|chat| chat.error()).collect();
    assert_eq!(ends, [Some("529"), Some("timeout"), None]);
    let numbers: Vec<_> = chats.iter().map(|chat| chat.field("onionskin.attempt").unwrap().clone()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(chats.iter().all(|chat| chat.field("onionskin.turn") == Some(&json!(1))));
    assert_eq!(spans.tree()[0], "chat < invoke_agent Waiter");
    assert!(!spans.text().contains(WORDS));
}

#[tokio::test]
async fn o4_a_run_without_an_answer_has_the_error_of_its_model() {
    let (spans, _guard) = Spans::begin();
    let model = ScriptedModel::turns([ScriptedTurn::fail(401)]);
    Waiter::builder().model(model).run("Go.").await.unwrap_err();
    assert_eq!(spans.one("chat").error(), Some("401"));
    assert_eq!(spans.one("invoke_agent Waiter").error(), Some("401"));
}

/// A child that waits for ever in its tool.
fn child_waits() -> ScriptedModel {
    ScriptedModel::new()
        .agent("Head", [ScriptedTurn::call("agent__Waiter", json!({ "input": "wait" }))])
        .agent("Waiter", [ScriptedTurn::call("waits", json!({}))])
}

const WAITING: [&str; 4] =
    ["invoke_agent Head", "execute_tool agent__Waiter", "invoke_agent Waiter", "execute_tool waits"];

#[tokio::test]
async fn o4_a_cancelled_run_closes_all_its_spans() {
    let (spans, _guard) = Spans::begin();
    let head = Head::builder().model(child_waits()).build().await.unwrap();
    let token = CancellationToken::new();
    let run = head.request("Go.").cancellation(token.clone()).run();
    let (end, ()) = tokio::join!(run, async {
        tokio::task::yield_now().await;
        token.cancel();
    });
    assert!(matches!(end, Err(RunError::Cancelled { .. })));
    spans.tree();
    for name in WAITING {
        assert_eq!(spans.one(name).error(), Some("cancelled"), "{name}");
    }
}

#[tokio::test]
async fn o4_a_dropped_run_closes_all_its_spans() {
    let (spans, _guard) = Spans::begin();
    let head = Head::builder().model(child_waits()).build().await.unwrap();
    let mut stream = head.stream("Go.");
    while futures_util::FutureExt::now_or_never(stream.next()).is_some() {}
    assert!(!spans.one("execute_tool waits").closed);
    drop(stream);
    assert_eq!(spans.tree().len(), WAITING.len() + 2, "{:?}", spans.tree());
    for name in WAITING {
        assert_eq!(spans.one(name).error(), Some("cancelled"), "{name}");
    }
}

#[tokio::test]
async fn o4_a_dropped_request_closes_its_span() {
    let (spans, _guard) = Spans::begin();
    let waiter = Waiter::builder().model(Overloaded(AtomicU32::new(1))).build().await.unwrap();
    let mut stream = waiter.stream("Go.");
    while futures_util::FutureExt::now_or_never(stream.next()).is_some() {}
    drop(stream);
    assert_eq!(spans.tree(), ["chat < invoke_agent Waiter", "invoke_agent Waiter"]);
    assert_eq!(spans.one("chat").error(), Some("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn o4_a_run_that_reached_its_time_limit_says_so() {
    let (spans, _guard) = Spans::begin();
    let model = ScriptedModel::turns([ScriptedTurn::call("waits", json!({}))]);
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_secs(3));
    Waiter::builder().model(model).limits(limits).run("Go.").await.unwrap_err();
    assert_eq!(spans.one("invoke_agent Waiter").error(), Some("limit"));
    assert_eq!(spans.one("execute_tool waits").error(), Some("cancelled"));
}

#[tokio::test]
async fn o4_a_panic_of_the_model_closes_its_spans() {
    fn panics() -> impl Model {
        answers(move |_, _| panic!("{WORDS}"))
    }

    let (spans, _guard) = Spans::begin();
    Waiter::builder().model(panics()).run("Go.").await.unwrap_err();
    spans.tree();
    assert_eq!(spans.one("chat").error(), Some("panic"));
    assert_eq!(spans.one("invoke_agent Waiter").error(), Some("agent"));
    assert!(!spans.text().contains(WORDS));
}

#[tokio::test]
async fn o4_a_run_that_does_not_begin_has_a_span() {
    let (spans, _guard) = Spans::begin();
    let waiter = Waiter::builder().model(child_waits()).build().await.unwrap();
    let mut first = waiter.request("Go.").run_id("one").stream();
    while futures_util::FutureExt::now_or_never(first.next()).is_some() {}
    let second = waiter.request("Go.").run_id("one").run().await;
    assert!(matches!(second, Err(RunError::RunIdInUse { .. })));
    drop(first);
    let ends: Vec<_> =
        spans.named("invoke_agent Waiter").iter().map(|run| run.error().unwrap().to_owned()).collect();
    assert_eq!(ends, ["cancelled", "run_id_in_use"]);
    spans.tree();
}

/// Pays.
#[tool(approval)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

agent! {
    Payer { instruction: "Pay.", description: "Pays.", function_tools: [pay] }
    Desk { instruction: "Serve.", agents: [Payer] }
}

#[tokio::test]
async fn o4_the_span_of_a_paused_run_says_that_it_paused() {
    let model = || {
        let asks = ScriptedTurn::call("agent__Payer", json!({ "input": "Pay 5." }));
        let pays = [ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")];
        ScriptedModel::new().agent("Desk", [asks, ScriptedTurn::say("{last}")]).agent("Payer", pays)
    };
    let (spans, guard) = Spans::begin();
    let end = Desk::builder().model(model()).run("Pay.").await;
    let Err(RunError::Paused(paused)) = end else { panic!("{end:?}") };
    for run in ["invoke_agent Desk", "invoke_agent Payer"] {
        let run = spans.one(run);
        assert_eq!((run.field("onionskin.run.paused"), run.error()), (Some(&json!(true)), None));
    }
    drop(guard);

    let (spans, _guard) = Spans::begin();
    let desk = Desk::builder().model(model()).build().await.unwrap();
    let key = paused.questions()[0].key().to_owned();
    desk.resume(&paused).answer(key, Answer::allow()).run().await.unwrap();
    assert!(!spans.text().contains("onionskin.run.paused"), "{}", spans.text());
}
