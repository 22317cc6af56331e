//! Checks of arguments and results by guardrails.

use std::any::Any;

use super::guardrail::{DynInputGuardrail, DynOutputGuardrail};
use crate::context::{CallStages, ToolContext};
use crate::onion::{Caught, panic_exit};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

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

/// Passes a result through output guardrails. Also returns whether one of them withheld it. A stop is the
/// run's answer, so its output passes through them too.
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
        let had_output = result.is_ok();
        let failed = result.as_ref().err().and_then(Exit::as_tool_error).map(ToolError::kind);
        let check = Caught::new(guardrail.check_dyn(cx, args, result), cx, guardrail_panicked);
        result = check.await.map_err(|exit| withheld(cx, exit, failed, guardrail.name()));
        refused |= had_output && result.is_err();
        if !had_output && result.is_ok() {
            cx.stages(CallStages::exclude_from_caches);
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

/// The exit of a guardrail that withholds a result or an error of the kind `failed`. If the tool has run, the
/// error says so.
fn withheld(cx: &ToolContext, exit: Exit, failed: Option<ErrorKind>, guardrail: &str) -> Exit {
    let mut exit = if failed.is_none() { refusal(exit, guardrail) } else { exit };
    let Exit::Tool(error) = &mut exit else { return exit };
    let has_run = match failed {
        None => cx.has_run(),
        // An error that a guardrail passes on or changes remains the tool's.
        Some(ErrorKind::Denied | ErrorKind::Withheld) => false,
        Some(_) => error.kind() == ErrorKind::Denied && cx.attempt() > 0,
    };
    if has_run {
        cx.withhold(error);
    }
    exit
}

/// Marks a guardrail's error as a refusal, unless it has a specific kind.
fn refusal(exit: Exit, guardrail: &str) -> Exit {
    match exit {
        Exit::Tool(error) => {
            tracing::debug!(guardrail, kind = ?error.kind(), "a guardrail refused");
            let plain = error.kind() == ErrorKind::Failed;
            Exit::Tool(if plain { error.with_kind(ErrorKind::Denied) } else { error })
        }
        other @ (Exit::Stop(_) | Exit::Abort(_)) => other,
    }
}

/// A guardrail that panics refuses the call.
#[cold]
fn guardrail_panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    panic_exit(cx, format_args!("a guardrail of `{}`", cx.tool_name()), panic)
}
