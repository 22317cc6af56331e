//! `#[tool(blocking)]`: functions that block a thread, off the async ones.
#![allow(missing_docs, clippy::needless_pass_by_value, reason = "the tools stand for what people write")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use onionskin::{
    Args, ArgsOf, CancellationToken, ErrorKind, Next, Tool, ToolCaller, ToolContext, ToolResult, ToolSource,
    TypedNext, agent, tool, tool_hook,
};

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

/// How many threads of `watches` were told to stop.
static TOLD: AtomicU32 = AtomicU32::new(0);

/// Works until it is told to stop, for ten seconds at most.
fn work_until_told(cancel: &CancellationToken) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if cancel.is_cancelled() {
            TOLD.fetch_add(1, Ordering::Relaxed);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

async fn wait_until_told(times: u32) {
    let start = Instant::now();
    while TOLD.load(Ordering::Relaxed) < times {
        assert!(start.elapsed() < Duration::from_secs(5), "the thread goes on");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Takes the token.
#[tool(blocking, timeout = "20ms")]
fn watches(cancel: CancellationToken) {
    work_until_told(&cancel);
}

/// Takes the context.
#[tool(blocking, timeout = "20ms")]
fn asks(cx: &ToolContext) {
    work_until_told(&cx.cancellation());
}

/// Takes typed hooks.
#[tool(blocking, timeout = "20ms")]
fn typed(cancel: CancellationToken) {
    work_until_told(&cancel);
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
        wait_until_told(tries).await;
        assert!(!ctx.cancellation().is_cancelled(), "the call goes on");
    }
    Ok("told".into())
}

agent! {
    Watcher { instruction: "Watch.", function_tools: [watches, asks, typed], tool_hooks: [twice, passes] }
}

#[tokio::test]
async fn t4_a_blocking_call_that_times_out_is_told_at_once_and_the_next_try_is_not() {
    let tools = ToolCaller::<Watcher>::new();
    for tool in ["watches", "asks", "typed"] {
        TOLD.store(0, Ordering::Relaxed);
        let cx = tools.context(tool).expect("it is there");
        let output = tools.call(&cx, &mut Args::default()).await.expect("a hook answers");
        assert_eq!(output.to_text(), "told", "{tool}");
    }
}
