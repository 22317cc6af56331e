//! One check by a guardrail: of arguments, or of a result.

use std::any::Any;

use super::guardrail::{DynInputGuardrail, DynOutputGuardrail};
use crate::args::Args;
use crate::context::{CallStages, ToolContext};
use crate::error::{ErrorKind, Exit, ToolResult};
use crate::onion::{Caught, panic_exit};

/// Runs an input guardrail on the arguments.
pub(super) async fn admit(
    cx: &ToolContext,
    args: &mut Args,
    guardrail: &dyn DynInputGuardrail,
) -> ToolResult<()> {
    cx.note_arguments(args);
    let check = Caught::new(guardrail.check_dyn(cx, args), cx, guardrail_panicked);
    check.await.map_err(|exit| refusal(exit, guardrail.name()))
}

/// Passes a result through output guardrails. Returns also whether one of them refused it. A stop is the run's
/// answer, so its output passes through them too.
pub(super) async fn release<'g>(
    cx: &ToolContext,
    args: &Args,
    result: ToolResult,
    guardrails: impl Iterator<Item = &'g dyn DynOutputGuardrail>,
) -> (ToolResult, bool) {
    let mut refused = false;
    let (mut result, stops) = match result {
        Err(Exit::Stop(stop)) => (Ok(stop.into_output()), true),
        other => (other, false),
    };
    for guardrail in guardrails {
        if let Err(Exit::Abort(_)) = result {
            break;
        }
        let given = result.is_ok();
        let check = Caught::new(guardrail.check_dyn(cx, args, result), cx, guardrail_panicked);
        result = check.await.map_err(|exit| if given { refusal(exit, guardrail.name()) } else { exit });
        refused |= given && result.is_err();
        if !given && result.is_ok() {
            cx.stages(CallStages::keep_nothing);
        }
    }
    match result {
        Ok(output) if stops => (Err(Exit::stop(output)), false),
        result => {
            let refused = refused && matches!(result, Err(Exit::Tool(_)));
            (result, refused)
        }
    }
}

/// Marks a guardrail's error as a refusal, unless it has a specific kind.
fn refusal(exit: Exit, guardrail: &str) -> Exit {
    match exit {
        Exit::Tool(error) => {
            tracing::debug!(guardrail, kind = ?error.kind(), "a guardrail refused");
            let plain = error.kind() == ErrorKind::Failed;
            Exit::Tool(if plain { error.with_kind(ErrorKind::Denied) } else { error })
        }
        other => other,
    }
}

/// A guardrail that panics refuses the call.
#[cold]
fn guardrail_panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    panic_exit(cx, format_args!("a guardrail of `{}`", cx.tool_name()), panic)
}
