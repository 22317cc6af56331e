//! The answer of a run as pieces of an artifact: what a model writes is merged, so that a task has few events.

use std::time::Duration;

use tokio::time::Instant;

use super::limits::PIECES;
use super::task::TaskCell;
use crate::wire::Part;

/// The pause between two pieces. It doubles with each hundred pieces, so a long answer has few of them too.
const PAUSE: Duration = Duration::from_millis(50);

/// The text that the model writes in its turn.
#[derive(Default)]
pub(super) struct Pieces {
    /// What clients have of it.
    shown: String,
    /// What they do not have yet.
    rest: String,
    /// Whether clients have a text that is no part of the answer.
    is_stale: bool,
    count: usize,
    due: Option<Instant>,
}

impl Pieces {
    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.rest.is_empty() && self.count < PIECES {
            let pause = PAUSE * (1 << (self.count / 100));
            // The first piece is shown at once.
            let pause = if self.count == 0 { Duration::ZERO } else { pause };
            self.due = Some(Instant::now() + pause);
        }
        self.rest.push_str(text);
    }

    pub(super) fn bytes(&self) -> usize {
        self.shown.len() + self.rest.len()
    }

    /// Forgets the text: the model begins another turn, or the same one again.
    pub(super) fn restart(&mut self) {
        self.is_stale |= !self.shown.is_empty();
        (self.shown, self.rest, self.due) = (String::new(), String::new(), None);
    }

    /// When the next piece is to be shown.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Shows the next piece.
    pub(super) fn show(&mut self, task: &TaskCell) {
        self.due = None;
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.shown.push_str(&rest);
            self.write(task, vec![Part::text(rest)], false);
        }
    }

    /// Shows the whole answer: what clients do not have of it, or all of it if it differs. A typed answer is a value too.
    pub(super) fn finish(mut self, task: &TaskCell, answer: &str, is_typed: bool) {
        let value = if is_typed { serde_json::from_str(answer).ok().map(Part::data) } else { None };
        let rest = match answer.strip_prefix(&*self.shown) {
            Some(rest) if !self.is_stale => rest,
            _ => {
                self.is_stale = true;
                answer
            }
        };
        // An answer of nothing replaces a text of an earlier turn.
        let text = (!rest.is_empty() || self.is_stale && self.count > 0).then(|| Part::text(rest));
        let parts: Vec<_> = text.into_iter().chain(value).collect();
        if !parts.is_empty() {
            self.write(task, parts, true);
        }
    }

    /// Takes back what clients have of an answer that is none: it may be what a hook refused.
    pub(super) fn discard(mut self, task: &TaskCell) {
        if self.count > 0 {
            self.is_stale = true;
            self.write(task, vec![Part::text("")], true);
        }
    }

    fn write(&mut self, task: &TaskCell, parts: Vec<Part>, is_last: bool) {
        let is_first = self.count == 0 || std::mem::take(&mut self.is_stale);
        self.count += 1;
        task.answer(parts, !is_first, is_last);
    }
}
