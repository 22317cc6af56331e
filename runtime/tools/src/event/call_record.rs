//! The record of a tool call.

use serde::{Deserialize, Serialize};

use super::CallOutcome;
use crate::state::{Recorded, StateChange};
use onionskin_definitions::error::{Exit, ToolError, ToolResult};
use onionskin_definitions::output::{RecordedOutput, ToolOutput};

/// A serialisable tool result. It omits typed values of the result and the types of an error's causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    #[serde(rename = "exit")]
    outcome: CallOutcome,
    #[serde(flatten)]
    output: RecordedOutput,
    /// The texts of an error's causes, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    causes: Vec<String>,
    /// The number of starts of the tool's function.
    #[serde(default = "one")]
    starts: u32,
    /// The changes that the tool made to the state. An empty list is stored too, so that a record without the
    /// field is corrupt.
    changes: Vec<StateChange>,
    /// Whether the tool registered a secret with the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    secret: bool,
}

/// The default of `starts` for older records.
fn one() -> u32 {
    1
}

impl CallRecord {
    /// Creates the record of a call with this result.
    pub fn new(result: &ToolResult, starts: u32, recorded: Recorded) -> Self {
        let output = match result {
            Ok(output) => RecordedOutput::new(output),
            Err(Exit::Tool(error)) => RecordedOutput::new(error.output()),
            Err(Exit::Stop(stop)) => RecordedOutput::new(stop.output()),
            Err(Exit::Abort(abort)) => RecordedOutput::new(&ToolOutput::text(abort.reason())),
        };
        let error = result.as_ref().err().and_then(Exit::as_tool_error);
        let causes = error.map(|error| error.causes().map(ToString::to_string).collect());
        Self {
            outcome: CallOutcome::from_result(result),
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

    /// Returns the recorded result.
    ///
    /// # Errors
    /// Returns the recorded exit.
    pub fn into_result(self) -> ToolResult {
        let output = self.output.into_output();
        match self.outcome {
            CallOutcome::Ok => Ok(output),
            CallOutcome::Error(kind) => {
                let mut error = ToolError::from_output(kind, output);
                error.set_cause_texts(self.causes.into_iter());
                Err(Exit::Tool(error))
            }
            CallOutcome::Stop => Err(Exit::stop(output)),
            // A call that waits has no record, so a journal with one is broken and ends the run.
            CallOutcome::Abort | CallOutcome::Paused => Err(Exit::abort(output.to_text().into_owned())),
        }
    }
}
