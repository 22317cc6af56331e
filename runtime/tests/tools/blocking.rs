//! `#[tool(blocking)]`: functions that block a thread, off the async ones.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use onionskin::definition::ToolSource;
use onionskin::model::Message;
use onionskin::run::ToolCaller;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{
    Args, CancellationToken, ErrorKind, Exit, Next, ScriptedModel, ScriptedTurn, State, Tool, ToolContext,
    ToolResult, ToolSpec, agent, tool, tool_hook,
};
use serde_json::json;

async fn call<T: Tool + Default>(args: &str) -> ToolResult {
    T::default().run(&ToolContext::detached(T::NAME), &mut Args::from(args)).await
}

/// Blocks.
#[tool(blocking)]
fn blocks(millis: u64, text: &str, source: ToolSource) -> String {
    std::thread::sleep(Duration::from_millis(millis));
    format!("{text} {source}")
}

/// Panics.
#[tool(blocking)]
fn panics() {
    panic!("oh");
}

#[tokio::test]
async fn t1_a_blocking_tool_does_not_delay_its_siblings() {
    let start = Instant::now();
    let slow = call::<blocks>(r#"{"millis": 1000, "text": "t"}"#);
    let fast = async {
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        start.elapsed()
    };
    let (slow, fast) = tokio::join!(slow, fast);
    assert!(fast < Duration::from_millis(900), "{fast:?}");
    assert_eq!(slow.unwrap().to_text(), "t function");
}

#[tokio::test]
async fn t11_a_panic_of_a_blocking_tool_is_never_a_hang() {
    let call = tokio::spawn(async { call::<panics>("{}").await });
    assert!(call.await.unwrap_err().is_panic());
}

/// How many threads of `watches` got the signal to stop.
static TOLD: AtomicU32 = AtomicU32::new(0);

/// Works until it is cancelled, for ten seconds at most.
fn work_until_cancelled(cancel: &CancellationToken) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if cancel.is_cancelled() {
            TOLD.fetch_add(1, Ordering::Relaxed);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

async fn wait_until_cancelled(times: u32) {
    let start = Instant::now();
    while TOLD.load(Ordering::Relaxed) < times {
        assert!(start.elapsed() < Duration::from_secs(5), "the thread goes on");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Takes the token.
#[tool(blocking, timeout = "20ms")]
fn watches(cancel: CancellationToken) {
    work_until_cancelled(&cancel);
}

/// Takes the context.
#[tool(blocking, timeout = "20ms")]
fn asks(cx: &ToolContext) {
    work_until_cancelled(&cx.cancellation());
}

/// Takes typed hooks.
#[tool(blocking, timeout = "20ms")]
fn typed(cancel: CancellationToken) {
    work_until_cancelled(&cancel);
}

#[tool_hook(tool = typed)]
async fn passes(args: ArgsOf<typed>, next: impl TypedNext<typed>) -> ToolResult<()> {
    next.run(args).await
}

/// Tries twice, and each time sees the thread of the first try end before it goes on.
#[tool_hook]
async fn twice(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    for tries in 1..=2 {
        let error = next.run(args).await.expect_err("it takes too long");
        assert_eq!(error.as_tool_error().map(onionskin::ToolError::kind), Some(ErrorKind::Timeout));
        wait_until_cancelled(tries).await;
        assert!(!ctx.cancellation().is_cancelled(), "the call goes on");
    }
    Ok("told".into())
}

agent! {
    Watcher { instruction: "Watch.", function_tools: [watches, asks, typed], tool_hooks: [twice, passes] }
}

#[tokio::test]
async fn t4_a_blocking_call_that_times_out_is_cancelled_at_once_and_the_next_try_is_not() {
    let tools = ToolCaller::<Watcher>::new();
    for tool in ["watches", "asks", "typed"] {
        TOLD.store(0, Ordering::Relaxed);
        let cx = tools.context(tool).expect("it is there");
        let output = tools.call(&cx, &mut Args::default()).await.expect("a hook answers");
        assert_eq!(output.to_text(), "told", "{tool}");
    }
}

/// What began, in a program with a single thread for blocking tools.
#[derive(Clone, Default)]
struct Till {
    paid: Arc<AtomicU32>,
    gate: Arc<(Mutex<bool>, Condvar)>,
}

impl Till {
    fn open(&self) {
        *self.gate.0.lock().unwrap() = true;
        self.gate.1.notify_all();
    }

    fn paid(&self) -> u32 {
        self.paid.load(Ordering::SeqCst)
    }
}

/// Pays, and keeps its thread until the gate is open.
#[tool(blocking, timeout = "50ms", effect = once)]
fn pay(till: State<Till>) -> &'static str {
    till.paid.fetch_add(1, Ordering::SeqCst);
    let open = till.gate.0.lock().unwrap();
    drop(till.gate.1.wait_while(open, |open| !*open).unwrap());
    "paid"
}

/// As `pay`, for as long as it takes.
#[tool(blocking)]
fn pay_slowly(till: State<Till>) -> &'static str {
    till.paid.fetch_add(1, Ordering::SeqCst);
    let open = till.gate.0.lock().unwrap();
    drop(till.gate.1.wait_while(open, |open| !*open).unwrap());
    "paid"
}

/// Aborts the run once a call beside it has begun.
#[tool]
async fn abort(till: State<Till>) -> ToolResult<String> {
    while till.paid() == 0 {
        tokio::task::yield_now().await;
    }
    Err(Exit::abort("the house is on fire"))
}

agent! {
    Payer { state: Till, instruction: "Pay.", function_tools: [pay, pay_slowly, abort] }
}

fn one_thread(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).enable_all().build();
    runtime.unwrap().block_on(work);
}

/// Waits until the only thread is free, and so all that waited for it had its turn.
async fn free() {
    tokio::task::spawn_blocking(|| ()).await.unwrap();
}

fn pays(tool: &str, times: usize) -> ScriptedTurn {
    (0..times).fold(ScriptedTurn::say(""), |turn, _| turn.and_call(tool, json!({})))
}

/// Opens the till: what has begun pays, and nothing else.
async fn paid_once(till: &Till) {
    till.open();
    free().await;
    assert_eq!(till.paid(), 1);
}

#[test]
fn t4_what_has_not_begun_when_its_time_is_up_never_begins() {
    one_thread(async {
        let till = Till::default();
        let model = ScriptedModel::turns([pays("pay", 3), ScriptedTurn::say("done")]);
        let output = Payer::builder().model(model).state(till.clone()).run("go").await.unwrap();
        let told: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
        let begun =
            "`pay` took longer than 50ms. It had begun and cannot be stopped: it may still take effect";
        let not = "`pay` waited longer than 50ms for a thread; it did not begin, and it will not";
        assert_eq!(told, [begun, not, not]);
        paid_once(&till).await;
    });
}

#[test]
fn t4_what_has_not_begun_when_its_run_is_dropped_never_begins() {
    one_thread(async {
        let till = Till::default();
        let model = ScriptedModel::turns([pays("pay_slowly", 3), ScriptedTurn::say("done")]);
        let handle = Payer::builder().model(model).state(till.clone()).build().await.unwrap();
        let session = handle.session();
        let run = handle.request("go").session(&session).run();
        tokio::time::timeout(Duration::from_millis(50), run).await.expect_err("the gate is closed");
        paid_once(&till).await;
    });
}

#[test]
fn h6_what_has_not_begun_when_its_run_is_aborted_never_begins_and_its_result_says_so() {
    one_thread(async {
        let till = Till::default();
        let turn = pays("pay_slowly", 2).and_call("abort", json!({}));
        let handle =
            Payer::builder().model(ScriptedModel::turns([turn])).state(till.clone()).build().await.unwrap();
        let session = handle.session();
        let error = handle.request("go").session(&session).run().await.unwrap_err();
        assert_eq!(error.to_string(), "the run was aborted: the house is on fire");
        paid_once(&till).await;
        let Some(Message::Tool { results, .. }) = session.history().pop() else { panic!("results") };
        let told: Vec<_> =
            results.iter().map(|result| result.content[0].as_text().unwrap().to_owned()).collect();
        let aborted = "the run was aborted: the house is on fire";
        assert_eq!(
            told,
            [
                format!(
                    "cancelled before it finished; it had begun and cannot be stopped: it may still take effect; \
                     {aborted}"
                ),
                format!("cancelled before it began: it did not run; {aborted}"),
                aborted.to_owned(),
            ]
        );
    });
}

agent! {
    Clerk { description: "Pays.", state: Till, instruction: "Pay.", function_tools: [pay_slowly] }
}
agent! {
    Head {
        state: Till, instruction: "Have it paid.", agents: [Clerk], function_tools: [abort], child_timeout_sec: 0.05,
    }
}

/// A script whose head asks the clerk, and does this as well.
fn has_it_paid(and: impl FnOnce(ScriptedTurn) -> ScriptedTurn) -> ScriptedModel {
    let ask = ScriptedTurn::call("agent__Clerk", json!({ "input": "pay" }));
    ScriptedModel::default()
        .agent("Head", [and(ask), ScriptedTurn::say("{last}")])
        .agent("Clerk", [pays("pay_slowly", 1)])
}

#[test]
fn t4_work_of_a_child_that_goes_on_is_reported_in_its_call() {
    one_thread(async {
        let till = Till::default();
        let model = has_it_paid(|ask| ask.and_call("abort", json!({})));
        let handle = Head::builder().model(model).state(till.clone()).build().await.unwrap();
        let session = handle.session();
        handle.request("go").session(&session).run().await.unwrap_err();
        let Some(Message::Tool { results, .. }) = session.history().pop() else { panic!("results") };
        assert_eq!(
            results[0].content[0].as_text().unwrap(),
            "cancelled before it finished; it had begun and cannot be stopped: it may still take effect; the run was \
             aborted: the house is on fire"
        );
        paid_once(&till).await;
    });
}

#[test]
fn a5_a_child_that_runs_out_of_time_says_that_its_work_goes_on() {
    one_thread(async {
        let till = Till::default();
        let model = has_it_paid(|ask| ask);
        let output = Head::builder().model(model).state(till.clone()).run("go").await.unwrap();
        assert_eq!(
            output.text,
            "the agent Clerk[1] did not answer within 50ms. A tool that it called cannot be stopped: it may still take effect. Before, it \
             ran `pay_slowly` once (its outcome is not known)."
        );
        paid_once(&till).await;
    });
}

#[test]
fn t4_a_blocking_closure_runs_on_a_thread_and_never_begins_late() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    one_thread(async {
        let till = Till::default();
        let caller = std::thread::current().id();
        let threads =
            ToolSpec::from_blocking_fn("threads", "Compares.", move |_: Nothing, cx: ToolContext| {
                Ok(std::thread::current().id() != caller && cx.tool_name() == "threads")
            });
        assert_eq!(threads.call("{}").await.unwrap(), true);
        let in_tool = till.clone();
        let mut closure = ToolSpec::from_blocking_fn("closure", "Pays.", move |_: Nothing, _| {
            in_tool.paid.fetch_add(1, Ordering::SeqCst);
            let open = in_tool.gate.0.lock().unwrap();
            drop(in_tool.gate.1.wait_while(open, |open| !*open).unwrap());
            Ok("paid")
        });
        closure.options(|options| options.timeout = Some(Duration::from_millis(50)));
        let (one, two) = tokio::join!(closure.call("{}"), closure.call("{}"));
        assert!(one.unwrap_err().to_string().contains("It had begun"));
        assert!(two.unwrap_err().to_string().contains("did not begin"));
        paid_once(&till).await;
    });
}
