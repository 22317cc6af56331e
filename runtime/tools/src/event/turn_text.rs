//! What the outermost agent writes in a turn, for those who show it while it is written.

use std::sync::Arc;

use super::{Event, EventKind};

/// The text that the outermost agent wrote in its turn so far.
#[derive(Debug, Default)]
pub struct TurnText(String);

/// What an event changes in the turn of the outermost agent.
#[derive(Debug)]
pub enum TurnChange<'e> {
    /// The turn began, without a text.
    Started,
    /// A piece of the text was added.
    Text(&'e str),
    /// A piece of a call that is the typed answer. It is not a part of the text.
    AnswerCall(&'e Arc<str>, &'e str),
    /// The turn begins again: this text is discarded.
    Restarted(String),
    /// No text follows for now: the turn ended, or a person is asked.
    Ended,
    /// The run ended with this answer.
    Answered(&'e str),
}

impl TurnText {
    /// Takes the next event of a run; `None` if it says nothing about the turn of the outermost agent.
    pub fn update<'e>(&mut self, event: &'e Event) -> Option<TurnChange<'e>> {
        if !event.is_outermost() {
            return None;
        }
        Some(match &event.kind {
            EventKind::TurnStarted { .. } => {
                self.0.clear();
                TurnChange::Started
            }
            EventKind::TextDelta { text } => {
                self.0.push_str(text);
                TurnChange::Text(text)
            }
            EventKind::ToolCallDelta { call_id, arguments, is_answer: true, .. } => {
                TurnChange::AnswerCall(call_id, arguments)
            }
            EventKind::TurnRestarted { .. } => TurnChange::Restarted(std::mem::take(&mut self.0)),
            EventKind::TurnFinished { .. } | EventKind::QuestionAsked { .. } => TurnChange::Ended,
            EventKind::RunFinished { text } => TurnChange::Answered(text),
            EventKind::RunStarted { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::ArgumentsChanged { .. }
            | EventKind::ToolFinished { .. }
            | EventKind::Progress { .. }
            | EventKind::User { .. }
            | EventKind::Notice { .. }
            | EventKind::RunPaused { .. }
            | EventKind::PrefixChanged { .. }
            | EventKind::RunFailed { .. } => return None,
        })
    }

    /// The text so far.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
