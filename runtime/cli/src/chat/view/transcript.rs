//! Collects the text of an agent for the user while its run goes on.

use onionskin_core::event::{Event, EventKind};

use crate::text;

/// The text for the user: what the outermost agent writes, and lines between it.
#[derive(Debug)]
pub(super) struct Transcript {
    /// Not shown yet.
    fresh: String,
    /// Whether the next text begins a line.
    begins_line: bool,
    /// The answer of the turn, as the model wrote it.
    turn: String,
    is_muted: bool,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { fresh: String::new(), begins_line: true, turn: String::new(), is_muted: false }
    }
}

impl Transcript {
    /// Takes an event of any run. `shown` if its run is shown.
    pub(super) fn update(&mut self, event: &Event, shown: bool) {
        if let EventKind::Notice { text, .. } = &event.kind
            && shown
        {
            self.line(&format!("{}: {}", text::line(&event.agent, 60), text::block(text)));
        }
        if self.is_muted || !event.step.scope().is_empty() {
            return;
        }
        match &event.kind {
            EventKind::TurnStarted { .. } => self.turn.clear(),
            EventKind::TextDelta { text, .. } => {
                self.turn.push_str(text);
                self.push(&text::block(text));
            }
            EventKind::TurnRestarted { .. } if !self.turn.is_empty() => {
                self.line(&format!("({})", text::RESTARTED));
                self.turn.clear();
            }
            EventKind::TurnFinished { .. } => self.end_line(),
            // Hooks, tools and typed answers give texts that no model wrote as one.
            EventKind::RunFinished { text, .. } if text.trim() != self.turn.trim() => {
                self.line(&text::block(text));
            }
            EventKind::RunStarted { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::ToolFinished { .. }
            | EventKind::Progress { .. }
            | EventKind::User { .. }
            | EventKind::Notice { .. }
            | EventKind::QuestionAsked { .. }
            | EventKind::ArgumentsChanged { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunPaused { .. }
            | EventKind::RunFailed { .. }
            | _ => {}
        }
    }

    /// Takes no more of the agent's text.
    pub(super) fn mute(&mut self) {
        self.end_line();
        self.is_muted = true;
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) {
        self.end_line();
        self.push(line);
        self.end_line();
    }

    pub(super) fn end_line(&mut self) {
        if !self.begins_line {
            self.push("\n");
        }
    }

    /// The text since the last call.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.fresh)
    }

    fn push(&mut self, text: &str) {
        if let Some(last) = text.chars().next_back() {
            self.begins_line = last == '\n';
        }
        self.fresh.push_str(text);
    }
}
