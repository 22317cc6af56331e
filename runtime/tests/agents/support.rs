//! What several of these tests use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::model::Message;

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

/// The text of each message.
pub fn texts<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}
