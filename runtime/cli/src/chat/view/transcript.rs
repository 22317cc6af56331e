//! Collects the text of an agent for the user while its run goes on.

use onionskin_core::event::{Event, EventKind, TurnChange, TurnText};

use crate::text;

/// The text for the user: what the outermost agent writes, and lines between it.
#[derive(Debug)]
pub(super) struct Transcript {
    /// Not shown yet.
    fresh: String,
    /// Whether the next text begins a line.
    begins_line: bool,
    turn: TurnText,
    is_muted: bool,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { fresh: String::new(), begins_line: true, turn: TurnText::default(), is_muted: false }
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
        if self.is_muted {
            return;
        }
        match self.turn.update(event) {
            Some(TurnChange::Text(text)) => self.push(&text::block(text)),
            Some(TurnChange::Restarted(discarded)) if !discarded.is_empty() => {
                self.line(&format!("({})", text::RESTARTED));
            }
            Some(TurnChange::Ended) => self.end_line(),
            // Hooks, tools and typed answers give texts that no model wrote as one.
            Some(TurnChange::Answered(text)) if text.trim() != self.turn.as_str().trim() => {
                self.line(&text::block(text));
            }
            Some(
                TurnChange::Started
                | TurnChange::AnswerCall(..)
                | TurnChange::Restarted(_)
                | TurnChange::Answered(_),
            )
            | None => {}
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
