//! Collects the text of an agent for the user while its run goes on.

use onionskin_core::event::{Event, EventKind, TurnChange, TurnText};

use crate::text;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Of the agent.
    Said(String),
    /// Of the chat, its tools or hooks.
    Note(String),
    /// What the agent says from here on is another text.
    Ends,
}

/// The text for the user: what the outermost agent writes, and lines between it.
#[derive(Debug)]
pub(super) struct Transcript {
    /// Not shown yet.
    fresh: Vec<Piece>,
    /// Whether the next text begins a line.
    begins_line: bool,
    turn: TurnText,
    is_muted: bool,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { fresh: Vec::new(), begins_line: true, turn: TurnText::default(), is_muted: false }
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
            Some(TurnChange::Text(text)) => self.push(Piece::Said(text::block(text))),
            Some(TurnChange::Restarted(discarded)) if !discarded.is_empty() => {
                self.end();
                self.line(&format!("({})", text::RESTARTED));
            }
            Some(TurnChange::Ended) => self.end(),
            // Hooks, tools and typed answers give texts that no model wrote as one.
            Some(TurnChange::Answered(text)) if text.trim() != self.turn.as_str().trim() => {
                self.end();
                self.push(Piece::Said(text::block(text)));
                self.end();
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
        self.end();
        self.is_muted = true;
    }

    /// Adds a line that is not of the agent.
    pub(super) fn line(&mut self, line: &str) {
        self.end_line();
        self.push(Piece::Note(format!("{line}\n")));
    }

    pub(super) fn end_line(&mut self) {
        if !self.begins_line {
            self.push(Piece::Said("\n".to_owned()));
        }
    }

    /// Ends a text of the agent.
    fn end(&mut self) {
        self.end_line();
        self.push(Piece::Ends);
    }

    /// The pieces since the last call.
    pub(super) fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.fresh)
    }

    fn push(&mut self, piece: Piece) {
        if let Piece::Said(text) | Piece::Note(text) = &piece
            && let Some(last) = text.chars().next_back()
        {
            self.begins_line = last == '\n';
        }
        match (self.fresh.last_mut(), piece) {
            (Some(Piece::Said(text)), Piece::Said(more)) => text.push_str(&more),
            (_, piece) => self.fresh.push(piece),
        }
    }
}
