//! Prints the events and the answer of a run.

use std::io::{self, IsTerminal as _};

use onionskin_core::event::{Event, EventKind, TurnChange, TurnText};
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
    /// The text in the live form.
    turn: TurnText,
    /// Whether the text has ended within a line.
    is_in_line: bool,
}

impl RunPrinter {
    pub(super) fn new(json: bool, verbose: bool) -> Self {
        let form = match (json, io::stdout().is_terminal()) {
            (true, _) => Form::Json,
            (false, true) => Form::Live,
            (false, false) => Form::Answer,
        };
        Self { form, verbose, turn: TurnText::default(), is_in_line: false }
    }

    pub(super) fn show(&mut self, event: &Event) -> Result<(), Failure> {
        match self.form {
            Form::Json => output::json_line(event)?,
            Form::Live => self.show_turn(event)?,
            Form::Answer => {}
        }
        if let EventKind::Notice { text, .. } = &event.kind {
            self.end_line()?;
            output::note(text);
        }
        if self.verbose {
            show_call(event);
        }
        Ok(())
    }

    fn show_turn(&mut self, event: &Event) -> Result<(), Failure> {
        match self.turn.update(event) {
            Some(TurnChange::Text(text)) if !text.is_empty() => {
                self.is_in_line = !text.ends_with('\n');
                output::text(text)?;
            }
            Some(TurnChange::Restarted(discarded)) if !discarded.is_empty() => {
                self.end_line()?;
                output::note(text::RESTARTED);
            }
            Some(TurnChange::Ended) => self.end_line()?,
            Some(
                TurnChange::Started
                | TurnChange::Text(_)
                | TurnChange::AnswerCall(..)
                | TurnChange::Restarted(_)
                | TurnChange::Answered(_),
            )
            | None => {}
        }
        Ok(())
    }

    /// Ends the line of the text so far.
    fn end_line(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.is_in_line) { output::text("\n") } else { Ok(()) }
    }

    /// Shows the part of the answer that is not shown yet.
    pub(super) fn end(&mut self, result: RunResult) -> Result<RunResult, Failure> {
        self.end_line()?;
        if let Ok(answer) = &result {
            let text = answer.text.trim_end();
            let is_shown = match self.form {
                Form::Json => true,
                // Hooks change answers, and the answer of a type is not the text of a turn.
                Form::Live => self.turn.as_str().trim_end() == text,
                Form::Answer => false,
            };
            if !is_shown {
                output::text(&format!("{text}\n"))?;
            }
        }
        Ok(result)
    }
}

/// Shows the start or the end of a call.
fn show_call(event: &Event) {
    if let EventKind::ToolStarted { tool, arguments, .. } = &event.kind {
        output::aside(&format!("{} calls {tool} {}", event.agent, text::first_line(arguments)));
    } else if let EventKind::ToolFinished { tool, outcome, content, duration, error_chain, .. } = &event.kind
    {
        let said = calls::said(*outcome, content, error_chain);
        let ended = calls::ended(*outcome, &said, *duration);
        output::aside(&format!("{} got {tool}: {ended}", event.agent));
    }
}
