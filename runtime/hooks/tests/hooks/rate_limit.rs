//! The hook `rate_limit`.

use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::hooks::{CallKey, RateLimit, RateLimitError, rate_limit};
use onionskin::{ErrorKind, Provided, ScriptedModel, ScriptedTurn, ToolContext, agent, testing, tool};
use serde_json::json;
use std::error::Error as _;
use tokio::time::Instant;

use crate::inner::{Tool, done, failed, tool_error};

const SECOND: Duration = Duration::from_secs(1);

/// Looks.
#[tool]
fn look() -> &'static str {
    "found"
}

agent! {
    Clerk {
        instruction: "Look.",
        function_tools: [look],
        tool_hooks: [rate_limit(RateLimit::new(1, Duration::from_secs(60)))],
    }
}

#[tokio::test(start_paused = true)]
async fn h9_a_call_waits_for_its_permit_and_a_failed_call_used_one() {
    let (hook, cx) = (rate_limit::new(RateLimit::new(1, SECOND)), ToolContext::detached("look"));
    let start = Instant::now();
    Tool::new(Duration::ZERO, failed).call(&hook, &cx).await.unwrap_err();
    Tool::new(Duration::ZERO, done).call(&hook, &cx).await.unwrap();
    assert_eq!(start.elapsed(), SECOND);
    // Another tool has a key of its own.
    Tool::new(Duration::ZERO, done).call(&hook, &ToolContext::detached("other")).await.unwrap();
    assert_eq!(start.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn h9_a_permit_after_the_deadline_of_the_run_is_an_error_at_once() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("look", json!({})).and_call("look", json!({})),
        ScriptedTurn::say("{last}"),
    ]);
    let mut limits = Limits::default();
    limits.time = Some(10 * SECOND);
    let start = Instant::now();
    let output = Clerk::builder().model(model).limits(limits).run("Go.").await.unwrap();
    let text =
        "`look` was not called: the rate limit has no permit before the deadline: the next one comes in 60s";
    assert_eq!(
        output.text,
        format!(
            "found
{text}"
        )
    );
    assert!(start.elapsed() < SECOND);
}

#[tokio::test(start_paused = true)]
async fn h9_a_refusal_has_its_error_as_its_source() {
    let hook = rate_limit::new(RateLimit::new(1, SECOND).max_keys(1));
    let tool = Tool::new(Duration::ZERO, done);
    tool.call(&hook, &ToolContext::detached("one")).await.unwrap();
    let error = tool_error(tool.call(&hook, &ToolContext::detached("two")).await);
    assert_eq!((error.kind(), tool.counts()), (ErrorKind::Limit, (1, 1)));
    let source = error.source().unwrap().downcast_ref::<RateLimitError>().unwrap();
    assert!(matches!(source, RateLimitError::TooManyKeys { max_keys: 1, .. }));
}

#[tokio::test(start_paused = true)]
async fn h9_a_call_that_waits_for_its_permit_does_not_count_for_max_parallel() {
    /// Says when it runs.
    #[tool]
    fn seconds(start: Provided<Instant>) -> u64 {
        start.elapsed().as_secs()
    }

    agent! {
        Narrow {
            instruction: "Look.",
            function_tools: [look, seconds],
            tool_hooks: [rate_limit(RateLimit::new(1, Duration::from_secs(60))) for [look]],
            max_parallel: 1,
        }
    }

    let look = || ScriptedTurn::call("look", json!({}));
    let calls = look().and_call("look", json!({})).and_call("seconds", json!({}));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("Done.")]);
    let start = Instant::now();
    let output = Narrow::builder().model(model).provide(start).run("Go.").await.unwrap();
    assert_eq!((output.tool_calls[2].to_text().as_ref(), start.elapsed()), ("0", 60 * SECOND));
}

agent! { Looker { instruction: "Look.", function_tools: [look] } }

#[tokio::test(start_paused = true)]
async fn h9_a_session_that_ended_leaves_its_debt_to_no_later_one() {
    let turns = || [ScriptedTurn::call("look", json!({})), ScriptedTurn::say("{last}")];
    let model = ScriptedModel::turns([turns(), turns()].concat());
    let limit = RateLimit::new(1, SECOND).keyed_by(CallKey::session());
    let looker = Looker::builder().model(model).hook(rate_limit::new(limit)).build().await.unwrap();
    let start = Instant::now();
    for _ in 0..20 {
        let session = looker.session();
        looker.request("?").session(&session).run().await.unwrap();
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    let session = looker.session();
    for _ in 0..2 {
        looker.request("?").session(&session).run().await.unwrap();
    }
    assert_eq!(start.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn h9_calls_are_keyed_by_user_session_or_a_function() {
    let tool = Tool::new(Duration::ZERO, done);
    let waits = async |key: CallKey, first: &ToolContext, second: &ToolContext| {
        let hook = rate_limit::new(RateLimit::new(1, SECOND).keyed_by(key));
        let start = Instant::now();
        tool.call(&hook, first).await.unwrap();
        tool.call(&hook, second).await.unwrap();
        !start.elapsed().is_zero()
    };
    let context = |tool: &str, server: &str| testing::context(tool).server(server).build();
    let (one, other) = (context("a__look", "a"), context("a__list", "a"));
    assert!(!waits(CallKey::tool(), &one, &other).await);
    assert!(waits(CallKey::user(), &one, &other).await, "both have no user");
    assert!(!waits(CallKey::session(), &one, &other).await);
    assert!(waits(CallKey::session(), &one, &one).await);
    let server = || CallKey::new(|cx| cx.server_name().unwrap_or_default().to_owned());
    assert!(waits(server(), &one, &other).await);
    assert!(!waits(server(), &one, &context("b__look", "b")).await);
}
