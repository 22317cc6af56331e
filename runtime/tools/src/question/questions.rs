//! The questions of one run and of the runs beneath it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::{Answer, Question};
use crate::journal::MemoryJournal;
use crate::trace::TraceParent;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::lock::lock;

/// The open questions of a run and of those beneath it, and the answers that it was resumed with.
#[derive(Default)]
pub struct Questions {
    given: BTreeMap<String, Given>,
    /// By their keys, each with the hash of what it asks.
    open: Mutex<BTreeMap<String, (Question, String)>>,
    /// Why the run cannot be resumed, if a step of it cannot be replayed: the step, and the reason.
    unrecorded: Mutex<Option<(String, String)>>,
    /// The records that are kept for a pause only: no journal of the program gets them.
    own: Option<Arc<MemoryJournal>>,
    /// The input of the outermost run, without secrets.
    input: OnceLock<(String, Vec<ContentBlock>)>,
    /// The span of the paused run, if the run is resumed.
    traceparent: Option<TraceParent>,
    /// Whether a tool ran whose result is not from a record.
    acted: AtomicBool,
}

/// An answer that a run is resumed with.
pub(crate) struct Given {
    pub(crate) answer: Answer,
    /// The hash of what was asked.
    pub(crate) hash: String,
    /// What people were shown.
    pub(crate) shown: Question,
}

impl Questions {
    /// `own`: the records of the run, if they are kept in the paused value only.
    pub(crate) fn new(given: BTreeMap<String, Given>, own: Option<Arc<MemoryJournal>>) -> Self {
        Self { given, own, ..Self::default() }
    }

    /// The same for a run that is resumed: the span of the paused run.
    pub(crate) fn beneath(self, traceparent: Option<TraceParent>) -> Self {
        Self { traceparent, ..self }
    }

    /// The span of the paused run, if the run is resumed.
    pub fn traceparent(&self) -> Option<&TraceParent> {
        self.traceparent.as_ref()
    }

    /// The records of the run, if they are kept in the paused value only.
    pub(crate) fn own(&self) -> Option<&MemoryJournal> {
        self.own.as_deref()
    }

    /// Keeps the input of the outermost run, as a text and its parts.
    pub fn keep_input(&self, text: String, parts: Vec<ContentBlock>) {
        let _ = self.input.set((text, parts));
    }

    pub(crate) fn input(&self) -> (String, Vec<ContentBlock>) {
        self.input.get().cloned().unwrap_or_default()
    }

    /// Notes that a tool ran.
    pub(crate) fn note_acted(&self) {
        self.acted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_acted(&self) -> bool {
        self.acted.load(Ordering::Relaxed)
    }

    /// The answer that the run was resumed with, if it was given to the question with this hash. A person who saw another question has not
    /// answered this one. `asked` is the question with its secrets.
    pub(crate) fn given(&self, key: &str, hash: &str, asked: &Question) -> Option<Answer> {
        let given = self.given.get(key)?;
        if given.hash != hash || !asked.is_shown_as(&given.shown) {
            tracing::warn!(key, "the question changed since it was shown, so its answer is not used");
            return None;
        }
        Some(given.answer.clone())
    }

    /// Adds a question without an answer, and the hash of what it asks.
    pub(crate) fn open(&self, question: Question, hash: String) {
        lock(&self.open).entry(question.key().to_owned()).or_insert((question, hash));
    }

    /// The questions without an answer, in the order of their steps, each with its hash.
    pub fn all_open(&self) -> Vec<(Question, String)> {
        let mut open: Vec<_> = lock(&self.open).values().cloned().collect();
        open.sort_by(|(a, _), (b, _)| a.step().cmp(b.step()));
        open
    }

    /// Notes a step that has no record, because a journal cannot have one.
    pub(crate) fn note_unrecorded(&self, step: String, reason: String) {
        lock(&self.unrecorded).get_or_insert((step, reason));
    }

    pub(crate) fn unrecorded(&self) -> Option<(String, String)> {
        lock(&self.unrecorded).clone()
    }
}
