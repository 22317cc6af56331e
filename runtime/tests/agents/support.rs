//! What several of these tests use.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::journal::JournalErrorKind;
use onionskin::model::Message;
use onionskin::{RunError, Session};

/// Counts what happened.
#[derive(Clone, Default)]
pub struct Count(Arc<AtomicU32>);

impl Count {
    pub fn up(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Counts what is alive.
#[derive(Clone, Default)]
pub struct Alive(pub Arc<AtomicU32>);

/// Is alive.
pub struct Guard(Alive);

impl Alive {
    pub fn enter(&self) -> Guard {
        self.0.fetch_add(1, Ordering::SeqCst);
        Guard(self.clone())
    }

    pub fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The step at which a replay differs from its record.
pub fn diverged_at<T: Debug>(end: Result<T, RunError>) -> String {
    match end {
        Err(RunError::Journal { source, .. }) if source.kind() == JournalErrorKind::Diverged => {
            source.step().into()
        }
        other => panic!("{other:?}"),
    }
}

/// The text of each message.
pub fn texts<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}

/// Each call has one result, and the history can be gone on with.
pub fn is_whole(session: &Session) {
    let mut open: Vec<_> = Vec::new();
    for message in session.history() {
        match message {
            Message::Assistant { tool_calls, .. } => {
                assert!(open.is_empty());
                open = tool_calls.into_iter().map(|call| call.id).collect();
            }
            Message::Tool { results, .. } => {
                let told: Vec<_> = results.into_iter().map(|result| result.call_id).collect();
                assert_eq!(std::mem::take(&mut open), told);
            }
            Message::User { .. } => assert!(open.is_empty()),
        }
    }
    assert!(open.is_empty());
}
