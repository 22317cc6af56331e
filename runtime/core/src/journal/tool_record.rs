//! The serialised result of a tool call, for journals and events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::ContentBlock;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::output::ToolOutput;
use crate::state::{Recorded, StateChange};

/// A tool result that can be serialised. Typed extensions of the result are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallRecord {
    exit: RecordedExit,
    content: Vec<ContentBlock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structured: Option<Value>,
    /// How often the tool's function was started.
    #[serde(default = "one")]
    starts: u32,
    /// What the tool did to the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<StateChange>,
    /// Whether the tool told the session a secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    secret: bool,
}

/// The value for records without this field.
fn one() -> u32 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedExit {
    Ok,
    Error(ErrorKind),
    Stop,
    Abort,
}

impl CallRecord {
    pub(crate) fn new(result: ToolResult, starts: u32, recorded: Recorded) -> Self {
        let (exit, output) = match result {
            Ok(output) => (RecordedExit::Ok, output),
            Err(Exit::Tool(error)) => (RecordedExit::Error(error.kind()), error.output().clone()),
            Err(Exit::Stop(stop)) => (RecordedExit::Stop, stop.into_output()),
            Err(Exit::Abort(abort)) => (RecordedExit::Abort, ToolOutput::text(abort.reason())),
        };
        let structured = output.structured_content().map(std::borrow::Cow::into_owned);
        Self {
            exit,
            content: output.content().to_vec(),
            structured,
            starts,
            changes: recorded.changes,
            secret: recorded.has_secret,
        }
    }

    pub(crate) fn starts(&self) -> u32 {
        self.starts
    }

    pub(crate) fn has_secret(&self) -> bool {
        self.secret
    }

    pub(crate) fn changes(&self) -> &[StateChange] {
        &self.changes
    }

    pub(crate) fn into_result(self) -> ToolResult {
        let mut output = ToolOutput::blocks(self.content);
        if let Some(structured) = self.structured {
            output.set_remote_structured(structured);
        }
        match self.exit {
            RecordedExit::Ok => Ok(output),
            RecordedExit::Error(kind) => Err(Exit::Tool(ToolError::from_output(kind, output))),
            RecordedExit::Stop => Err(Exit::stop(output)),
            RecordedExit::Abort => Err(Exit::abort(output.to_text().into_owned())),
        }
    }
}
