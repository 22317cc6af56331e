//! Secrets are redacted in the errors of runs.

use onionskin_definitions::error::redact_error;
use onionskin_definitions::secret::{Redact, Redactor};

use super::run_error::RunError;

impl Redact for RunError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Model { source, .. } => source.redact(redactor),
            Self::Aborted(abort) => abort.redact(redactor),
            Self::Tool { source, .. } => source.redact(redactor),
            Self::Journal { source, .. } => source.redact(redactor),
            Self::Budget { source, .. } => source.redact(redactor),
            Self::Paused(paused) => paused.redact(redactor),
            Self::Answer { source, .. } => source.redact(redactor),
            Self::ServerTools { source, .. } => source.redact(redactor),
            Self::ToolDefinition { source, .. }
            | Self::RunHook { source, .. }
            | Self::TurnHook { source, .. }
            | Self::MessageHook { source, .. }
            | Self::Prompt { source, .. } => {
                redact_error(source, redactor);
            }
            Self::InputCheck { source, .. } => source.redact(redactor),
            Self::OutputCheck { source, .. } => source.redact(redactor),
            Self::Misuse { source, .. } => source.redact(redactor),
            Self::Retries { message: text, .. }
            | Self::WrongAnswer { problems: text, .. }
            | Self::Unfinished { text, .. }
            | Self::Agent { reason: text, .. } => text.redact(redactor),
            Self::Limit { .. }
            | Self::Depth { .. }
            | Self::Cancelled { .. }
            | Self::MessageDropped { .. }
            | Self::Busy { .. }
            | Self::RunIdInUse { .. }
            | Self::WaitsForItself { .. }
            | Self::NoState { .. }
            | Self::NoService { .. }
            | Self::UnusedService { .. }
            | Self::UnknownAgent { .. }
            | Self::NoInput { .. }
            // It quotes no content of the session.
            | Self::Session { .. }
            | Self::CannotAsk { .. }
            | Self::WrongState(_)
            | Self::WrongPrompt(_)
            | Self::WrongLimits(_)
            | Self::Build(_) => {}
        }
    }
}
