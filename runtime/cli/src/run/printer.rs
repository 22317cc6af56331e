//! Prints the events and the answer of a run.

use std::io::{self, IsTerminal as _};

use onionskin_core::event::{Event, EventKind};
use onionskin_core::{RunError, RunOutput};

use crate::calls;
use crate::failure::Failure;
use crate::output;
use crate::text;

/// The answer of a run, or its error.
pub(super) type RunResult = Result<RunOutput, RunError>;

/// The form of the result.
enum Form {
    /// Each event.
    Json,
    /// The text of the agent while it is written.
    Live,
    /// The answer at the end.
    Answer,
}

/// Shows the events of a run.
pub(super) struct RunPrinter {
    form: Form,
    verbose: bool,
    /// The text of the turn so far, in the live form.
    turn: String,
}

impl RunPrinter {
    pub(super) fn new(json: bool, verbose: bool) -> Self {
        let form = match (json, io::stdout().is_terminal()) {
            (true, _) => Form::Json,
            (false, true) => Form::Live,
            (false, false) => Form::Answer,
        };
        Self { form, verbose, turn: String::new() }
    }

    pub(super) fn show(&mut self, event: &Event) -> Result<(), Failure> {
        if matches!(self.form, Form::Json) {
            output::json_line(event)?;
        }
        let is_outermost = event.step.scope().is_empty();
        match &event.kind {
            EventKind::TextDelta { text, .. } if is_outermost && matches!(self.form, Form::Live) => {
                self.turn.push_str(text);
                output::text(text)?;
            }
            EventKind::TurnStarted { .. } if is_outermost => self.turn.clear(),
            EventKind::TurnRestarted { .. } if is_outermost && !self.turn.is_empty() => {
                self.end_line()?;
                self.turn.clear();
                output::note(text::RESTARTED);
            }
            EventKind::TurnFinished { .. } | EventKind::QuestionAsked { .. } if is_outermost => {
                self.end_line()?;
            }
            EventKind::Notice { text, .. } => {
                self.end_line()?;
                output::note(text);
            }
            EventKind::ToolStarted { tool, arguments, .. } if self.verbose => {
                output::aside(&format!("{} calls {tool} {}", event.agent, text::first_line(arguments)));
            }
            EventKind::ToolFinished { tool, outcome, content, duration, error_chain, .. } if self.verbose => {
                let said = calls::said(*outcome, content, error_chain);
                let ended = calls::ended(*outcome, &said, *duration);
                output::aside(&format!("{} got {tool}: {ended}", event.agent));
            }
            EventKind::RunStarted { .. }
            | EventKind::TurnStarted { .. }
            | EventKind::TextDelta { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::TurnFinished { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::ToolFinished { .. }
            | EventKind::Progress { .. }
            | EventKind::User { .. }
            | EventKind::QuestionAsked { .. }
            | EventKind::ArgumentsChanged { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunPaused { .. }
            | EventKind::RunFailed { .. }
            | _ => {}
        }
        Ok(())
    }

    /// Ends the line of the text so far.
    fn end_line(&mut self) -> Result<(), Failure> {
        if self.turn.is_empty() || self.turn.ends_with('\n') {
            return Ok(());
        }
        self.turn.push('\n');
        output::text("\n")
    }

    /// Shows the part of the answer that is not shown yet.
    pub(super) fn end(&mut self, result: RunResult) -> Result<RunResult, Failure> {
        self.end_line()?;
        if let Ok(answer) = &result {
            let text = answer.text.trim_end();
            let is_shown = match self.form {
                Form::Json => true,
                // Hooks change answers, and the answer of a type is not the text of a turn.
                Form::Live => self.turn.trim_end() == text,
                Form::Answer => false,
            };
            if !is_shown {
                output::text(&format!("{text}\n"))?;
            }
        }
        Ok(result)
    }
}
