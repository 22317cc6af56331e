//! The serialised result of a tool call, for journals and events.

use serde::{Deserialize, Serialize};

use crate::state::{Recorded, StateChange};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::output::{RecordedOutput, ToolOutput};

/// A tool result that can be serialised. Typed values of the result and the types of an error's causes are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    exit: RecordedExit,
    #[serde(flatten)]
    output: RecordedOutput,
    /// The texts of an error's causes, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    causes: Vec<String>,
    /// How often the tool's function was started.
    #[serde(default = "one")]
    starts: u32,
    /// What the tool did to the state. It is written if it is empty too: a record that lost it would replay another state.
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
    /// The record of a call that ended with this result.
    pub fn new(result: &ToolResult, starts: u32, recorded: Recorded) -> Self {
        let (exit, output) = match result {
            Ok(output) => (RecordedExit::Ok, RecordedOutput::of(output)),
            Err(Exit::Tool(error)) => (RecordedExit::Error(error.kind()), RecordedOutput::of(error.output())),
            Err(Exit::Stop(stop)) => (RecordedExit::Stop, RecordedOutput::of(stop.output())),
            Err(Exit::Abort(abort)) => {
                (RecordedExit::Abort, RecordedOutput::of(&ToolOutput::text(abort.reason())))
            }
        };
        let error = result.as_ref().err().and_then(Exit::as_tool_error);
        let causes = error.map(|error| error.causes().map(ToString::to_string).collect());
        Self {
            exit,
            output,
            causes: causes.unwrap_or_default(),
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

    /// The result that was recorded.
    ///
    /// # Errors
    /// Returns the exit that was recorded.
    pub fn into_result(self) -> ToolResult {
        let output = self.output.into_output();
        match self.exit {
            RecordedExit::Ok => Ok(output),
            RecordedExit::Error(kind) => {
                let mut error = ToolError::from_output(kind, output);
                error.set_cause_texts(self.causes.into_iter());
                Err(Exit::Tool(error))
            }
            RecordedExit::Stop => Err(Exit::stop(output)),
            RecordedExit::Abort => Err(Exit::abort(output.to_text().into_owned())),
        }
    }
}
