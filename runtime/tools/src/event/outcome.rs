//! How calls end, and how hooks leave them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use onionskin_definitions::error::{ErrorKind, Exit, ToolResult};

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// With a result.
    Ok,
    /// With a tool error; the run continues.
    Error(ErrorKind),
    /// With a stop (`Exit::stop`), which ends the run with an answer.
    Stop,
    /// With an abort (`Exit::abort`), which ends the run with an error.
    Abort,
    /// Without a result: the call waits for a person's answer, and the run pauses.
    Paused,
}

impl CallOutcome {
    pub(crate) fn from_result<T>(result: &ToolResult<T>) -> Self {
        match result {
            Ok(_) => Self::Ok,
            Err(exit) => Self::from_exit(exit),
        }
    }

    pub(crate) fn from_exit(exit: &Exit) -> Self {
        match exit {
            Exit::Tool(error) => Self::Error(error.kind()),
            Exit::Stop(_) => Self::Stop,
            Exit::Abort(_) => Self::Abort,
        }
    }
}

/// The exit of one hook from a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HookExit {
    /// The name of the hook's type: the function's name for a `#[tool_hook]`.
    pub hook: Cow<'static, str>,
    /// How the hook left the call.
    pub end: HookEnd,
}

/// The ways in which a hook can leave a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookEnd {
    /// It returned the kind of result that it got from inside.
    Passed,
    /// It returned an output of its own.
    Answered,
    /// It turned an error into an output.
    Recovered,
    /// It returned its own error.
    Error(ErrorKind),
    /// It stopped the run.
    Stop,
    /// It aborted the run.
    Abort,
}

/// For the crates of the runtime.
#[doc(hidden)]
impl CallOutcome {
    /// The `error.type` of a tool call; `None` if it did not fail.
    pub fn error_type(self) -> Option<&'static str> {
        Some(match self {
            Self::Ok | Self::Stop | Self::Paused => return None,
            Self::Abort => "aborted",
            Self::Error(kind) => kind.word(),
        })
    }
}
