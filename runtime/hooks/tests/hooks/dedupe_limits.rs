//! How much the hook `dedupe` stores.

use std::error::Error as _;

use onionskin::hooks::{TooManyCallsError, dedupe};
use onionskin::{Args, Effect, ErrorKind, Hook as _, ToolContext, ToolDefinition, ToolResult, testing};
use serde_json::json;

use crate::inner::tool_error;

/// A call whose result has so many bytes.
async fn long(hook: &dedupe, cx: &ToolContext, number: u32, bytes: usize) -> ToolResult {
    let mut args = Args::from(json!({ "number": number }).to_string());
    hook.call(cx, &mut args, testing::next(|_| Ok("a".repeat(bytes).into()))).await
}

const MIB: usize = 1 << 20;

/// A run that has all bytes of a run.
pub(crate) async fn full_run(hook: &dedupe) -> ToolContext {
    let cx = testing::context("repeat").build();
    for number in 0..8 {
        long(hook, &cx, number, MIB).await.unwrap();
    }
    cx
}

/// Refuses a call, and returns the bytes of which there are too many, and whether they are those of its run.
async fn refused(hook: &dedupe, cx: &ToolContext) -> (usize, bool) {
    let refused = tool_error(long(hook, cx, 8, 1).await);
    assert_eq!(refused.kind(), ErrorKind::Limit);
    let source = refused.source().and_then(|source| source.downcast_ref::<TooManyCallsError>()).unwrap();
    (source.max_bytes, source.one_run)
}

#[tokio::test]
async fn h9_the_bytes_of_one_run_are_bounded_and_take_no_place_from_other_runs() {
    let hook = dedupe::new();
    let cx = full_run(&hook).await;
    assert_eq!(refused(&hook, &cx).await, (8 * MIB, true));
    // An equal call needs no place.
    assert!(long(&hook, &cx, 0, 1).await.is_ok());
    long(&hook, &testing::context("repeat").build(), 8, 1).await.unwrap();
}

#[tokio::test]
async fn h9_the_bytes_of_known_calls_are_bounded_and_those_of_ended_runs_leave() {
    let (hook, living) = (dedupe::new(), testing::context("repeat").build());
    long(&hook, &living, 0, 1).await.unwrap();
    let mut full = Vec::new();
    for _ in 0..8 {
        full.push(full_run(&hook).await);
    }
    assert_eq!(refused(&hook, &living).await, (64 * MIB, false));
    full[0].run().cancellation().cancel();
    long(&hook, &living, 8, 1).await.unwrap();
    assert_eq!(format!("{hook:?}"), "dedupe { calls: 58, .. }");
}

#[tokio::test]
async fn h9_a_result_that_is_too_long_to_be_stored_is_not_repeated() {
    let hook = dedupe::new();
    for (effect, repeats) in [(Effect::Once, false), (Effect::Unstated, false), (Effect::Pure, true)] {
        let mut definition = ToolDefinition::new("repeat", "Repeats.");
        definition.effect = effect;
        let cx = testing::context("repeat").definition(definition).build();
        long(&hook, &cx, 0, MIB + 1).await.unwrap();
        let again = long(&hook, &cx, 0, 1).await;
        if repeats {
            assert_eq!(again.unwrap().to_text(), "a");
        } else {
            let error = tool_error(again);
            assert_eq!(error.kind(), ErrorKind::Withheld);
            assert!(error.to_string().starts_with("`repeat` was not called again"), "{error}");
        }
    }
}
