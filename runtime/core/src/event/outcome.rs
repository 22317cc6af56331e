//! How a call ended, and how each hook left it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, Exit, ToolResult};

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// With a result.
    Ok,
    /// With a tool error: the run goes on.
    Error(ErrorKind),
    /// With a graceful end of the run.
    Stop,
    /// With an abort of the run.
    Abort,
}

impl CallOutcome {
    pub(crate) fn of(result: &ToolResult) -> Self {
        match result {
            Ok(_) => Self::Ok,
            Err(Exit::Tool(error)) => Self::Error(error.kind()),
            Err(Exit::Stop(_)) => Self::Stop,
            Err(Exit::Abort(_)) => Self::Abort,
        }
    }
}

/// How one hook left a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HookExit {
    /// The name of the hook's type: for a `#[tool_hook]` that of its function.
    pub hook: Cow<'static, str>,
    /// How it left.
    pub end: HookEnd,
}

/// How a hook can leave a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookEnd {
    /// It gave on the kind of result that came from inside.
    Passed,
    /// It gave an output although none came from inside.
    Answered,
    /// It made an output of an error.
    Recovered,
    /// It made an error of its own.
    Error(ErrorKind),
    /// It stopped the run.
    Stop,
    /// It aborted the run.
    Abort,
}
