//! The error that the model gets for a script that failed.

use onionskin_core::{ErrorKind, Exit, ToolError};
use rhai::{EvalAltResult, Position};

use super::limits::ScriptLimits;

/// The error that the model gets for a script that failed.
pub(super) fn failed(limits: &ScriptLimits, tool: &str, error: &EvalAltResult) -> Exit {
    let root = error.unwrap_inner();
    let (kind, reason) = match root {
        EvalAltResult::ErrorTerminated(token, _) if matches!(token.as_bool(), Ok(false)) => {
            (ErrorKind::Limit, format!("it took more than {} operations", limits.operations))
        }
        EvalAltResult::ErrorStackOverflow(_) => {
            (ErrorKind::Limit, format!("its calls went more than {} levels deep", limits.call_depth))
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            (ErrorKind::Limit, format!("it made too much data: {what}"))
        }
        EvalAltResult::ErrorTooManyVariables(_) => (ErrorKind::Limit, "it has too many variables".to_owned()),
        EvalAltResult::ErrorTerminated(token, _) if token.is_bool() => (
            ErrorKind::Limit,
            format!(
                "it held more than {} bytes; keep less at once, or raise `ScriptLimits::memory_bytes`",
                limits.memory_bytes
            ),
        ),
        EvalAltResult::ErrorTerminated(..) => {
            (ErrorKind::Timeout, format!("it took longer than {:?}", limits.time))
        }
        EvalAltResult::ErrorPropertyNotFound(name, _) => (
            ErrorKind::Failed,
            format!("there is no `{name}` here; for one that can be missing, ask `\"{name}\" in ..` first"),
        ),
        other => {
            let mut bare = other.to_string();
            // It names the place once more.
            if let Some(at) = bare.rfind(" (line ") {
                bare.truncate(at);
            }
            (ErrorKind::Failed, bare)
        }
    };
    let place = match place(root.position()) {
        Some((line, column)) => format!(" at {line}:{column}"),
        None => String::new(),
    };
    Exit::Tool(ToolError::new(format!("the script of `{tool}` failed{place}: {reason}")).with_kind(kind))
}

/// The line and the column of a position.
pub(super) fn place(position: Position) -> Option<(usize, usize)> {
    Some((position.line()?, position.position().unwrap_or(1)))
}
