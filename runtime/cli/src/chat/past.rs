//! What the conversation was before, for `/undo` and `/retry`.

use onionskin_core::Session;
use onionskin_core::model::{History, HistoryError};
use onionskin_core::question::Paused;

use super::stored::StoredFile;

/// The changes that can be undone.
const MOST: usize = 100;

/// The conversation before each change, the newest last.
#[derive(Default)]
pub(super) struct Past(Vec<Before>);

/// The conversation before a change.
pub(super) struct Before {
    /// The other conversation that was in its place, and its file.
    pub(super) session: Option<(Session, StoredFile)>,
    history: History,
    pub(super) paused: Option<Paused>,
    /// The input that came; none if another conversation did.
    pub(super) input: Option<String>,
}

impl Past {
    /// The inputs of a conversation that goes on.
    pub(super) fn new(history: &History) -> Self {
        let (mut past, mut before) = (Self::default(), History::new());
        for message in history {
            if message.is_input() {
                let input = Some(message.to_text().into_owned());
                past.push(Before { session: None, history: before.clone(), paused: None, input });
            }
            before.push(message.clone());
        }
        past
    }

    /// An input comes into the conversation.
    pub(super) fn keep_input(&mut self, session: &Session, input: String) {
        self.push(Before { session: None, history: session.history(), paused: None, input: Some(input) });
    }

    /// The newest input did not come into it.
    pub(super) fn drop_input(&mut self) {
        self.0.pop_if(|before| before.input.is_some());
    }

    /// Another conversation takes the place of this one.
    pub(super) fn keep_session(&mut self, session: Session, kept: StoredFile, paused: Option<Paused>) {
        let history = session.history();
        self.push(Before { session: Some((session, kept)), history, paused, input: None });
    }

    fn push(&mut self, before: Before) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(before);
    }

    /// The newest change, if it was an input.
    pub(super) fn last_input(&self) -> Option<&str> {
        self.0.last()?.input.as_deref()
    }

    /// Takes the newest change back: the conversation has the messages from before. What tools did stays done.
    pub(super) fn undo(&mut self, session: &Session) -> Option<Result<Before, HistoryError>> {
        let before = self.0.pop()?;
        let session = before.session.as_ref().map_or(session, |(session, _)| session);
        Some(session.set_history(before.history.clone()).map(|()| before))
    }
}
