//! The hook `circuit_breaker`.

use std::error::Error as _;
use std::time::Duration;

use onionskin::hooks::{CircuitBreaker, CircuitOpen, circuit_breaker};
use onionskin::{ErrorKind, Exit, ToolContext, ToolError, ToolResult};
use tokio::time::advance;

use crate::inner::{Tool, done, failed, tool_error};

const SECOND: Duration = Duration::from_secs(1);

fn hook() -> circuit_breaker {
    circuit_breaker::new(CircuitBreaker::new(2, SECOND))
}

/// Whether two calls with this answer open a circuit.
async fn opens(answer: fn() -> ToolResult) -> bool {
    let (hook, cx) = (hook(), ToolContext::detached("look"));
    let tool = Tool::new(Duration::ZERO, answer);
    for _ in 0..2 {
        let _ = tool.call(&hook, &cx).await;
    }
    let next = Tool::new(Duration::ZERO, done);
    next.call(&hook, &cx).await.is_err()
}

macro_rules! kinds {
    ($($kind:ident)*) => {
        [$((ErrorKind::$kind, (|| Err(ToolError::new("no").with_kind(ErrorKind::$kind).into())) as fn() -> ToolResult)),*]
    };
}

#[tokio::test(start_paused = true)]
async fn h9_failures_of_the_tool_open_a_circuit_and_nothing_else_does() {
    for (kind, answer) in kinds!(Failed Timeout Remote Panic Unreadable) {
        assert!(opens(answer).await, "{kind:?}");
    }
    for (kind, answer) in kinds!(Arguments UnknownTool Denied Withheld Retry Limit Cancelled InDoubt) {
        assert!(!opens(answer).await, "{kind:?}");
    }
    assert!(
        !opens(done).await
            && !opens(|| Err(Exit::stop("enough"))).await
            && !opens(|| Err(Exit::abort("no"))).await
    );
}

#[tokio::test(start_paused = true)]
async fn h9_an_open_circuit_answers_in_place_of_the_tool_until_a_probe_works() {
    let (hook, cx) = (hook(), ToolContext::detached("look"));
    let (broken, works) = (Tool::new(Duration::ZERO, failed), Tool::new(Duration::ZERO, done));
    for _ in 0..2 {
        broken.call(&hook, &cx).await.unwrap_err();
    }
    let error = tool_error(works.call(&hook, &cx).await);
    assert_eq!((error.kind(), works.counts()), (ErrorKind::Limit, (0, 0)));
    assert_eq!(
        error.to_string(),
        "`look` was not called: the last calls failed, and no further one is made now: call again in 1s"
    );
    let source = error.source().unwrap().downcast_ref::<CircuitOpen>().unwrap();
    assert_eq!(source.retry_in(), Some(SECOND));
    works.call(&hook, &ToolContext::detached("other")).await.unwrap();
    advance(SECOND).await;
    works.call(&hook, &cx).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn h9_a_dropped_or_panicking_probe_frees_its_place() {
    let (hook, cx) = (hook(), ToolContext::detached("look"));
    for _ in 0..2 {
        Tool::new(Duration::ZERO, failed).call(&hook, &cx).await.unwrap_err();
    }
    advance(SECOND).await;
    let slow = Tool::new(10 * SECOND, done);
    tokio::time::timeout(SECOND, slow.call(&hook, &cx)).await.unwrap_err();
    assert_eq!(slow.counts(), (1, 0));
    let panics = hook.clone();
    let probe = async move {
        Tool::new(Duration::ZERO, || panic!("a hook inside"))
            .call(&panics, &ToolContext::detached("look"))
            .await
    };
    tokio::spawn(probe).await.unwrap_err();
    Tool::new(Duration::ZERO, done).call(&hook, &cx).await.unwrap();
}
