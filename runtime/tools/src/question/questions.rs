//! The questions of a run and its child runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::{Answer, Question};
use crate::journal::MemoryJournal;
use crate::trace::TraceParent;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::lock::lock;

/// The open questions of a run and its child runs, and the answers that it was resumed with.
#[derive(Default)]
pub struct Questions {
    answers: BTreeMap<String, ProvidedAnswer>,
    /// The open questions by key, each with its hash.
    open: Mutex<BTreeMap<String, (Question, String)>>,
    /// A step that cannot be replayed, and the reason: the run cannot be resumed then.
    unrecorded: Mutex<Option<(String, String)>>,
    /// The records of the run, kept only for a pause, if the program has no journal.
    own: Option<Arc<MemoryJournal>>,
    /// The input of the outermost run, without secrets.
    input: OnceLock<(String, Vec<ContentBlock>)>,
    /// The span of the paused run, if the run is resumed.
    traceparent: Option<TraceParent>,
    /// Whether a tool ran, apart from replays.
    acted: AtomicBool,
}

/// An answer that a run is resumed with.
pub(crate) struct ProvidedAnswer {
    pub(crate) answer: Answer,
    /// The hash of the question.
    pub(crate) hash: String,
    /// The question as it was shown.
    pub(crate) shown: Question,
}

impl Questions {
    /// `own`: the records of the run, if the program has no journal.
    pub(crate) fn new(answers: BTreeMap<String, ProvidedAnswer>, own: Option<Arc<MemoryJournal>>) -> Self {
        Self { answers, own, ..Self::default() }
    }

    /// Sets the span of the paused run.
    pub(crate) fn with_traceparent(self, traceparent: Option<TraceParent>) -> Self {
        Self { traceparent, ..self }
    }

    /// The span of the paused run, if the run is resumed.
    pub fn traceparent(&self) -> Option<&TraceParent> {
        self.traceparent.as_ref()
    }

    pub(crate) fn own_shared(&self) -> Option<Arc<MemoryJournal>> {
        self.own.clone()
    }

    /// Whether calls took all answers that the run was resumed with.
    pub fn used_all(&self, run_id: &str) -> bool {
        let Some(own) = &self.own else { return self.has_acted() };
        let recorded = own.steps(run_id);
        self.answers.values().all(|answer| recorded.contains(&answer.shown.step().to_string()))
    }

    /// The records of the run, if the program has no journal.
    pub(crate) fn own(&self) -> Option<&MemoryJournal> {
        self.own.as_deref()
    }

    /// Stores the input of the outermost run, as a text and its parts.
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

    /// The answer that the run was resumed with, if it answers the question with this hash. A person who saw
    /// another question has not answered this one. `question` is the unmasked question.
    pub(crate) fn answer(&self, key: &str, hash: &str, question: &Question) -> Option<Answer> {
        let provided = self.answers.get(key)?;
        if provided.hash != hash || !question.is_shown_as(&provided.shown) {
            tracing::warn!(key, "the question changed since it was shown, so its answer is not used");
            return None;
        }
        Some(provided.answer.clone())
    }

    /// Adds an open question and its hash.
    pub(crate) fn open(&self, question: Question, hash: String) {
        lock(&self.open).entry(question.key().to_owned()).or_insert((question, hash));
    }

    /// The open questions in the order of their steps, each with its hash.
    pub fn all_open(&self) -> Vec<(Question, String)> {
        let mut open: Vec<_> = lock(&self.open).values().cloned().collect();
        open.sort_by(|(a, _), (b, _)| a.step().cmp(b.step()));
        open
    }

    /// Notes a step that cannot be recorded.
    pub(crate) fn note_unrecorded(&self, step: String, reason: String) {
        lock(&self.unrecorded).get_or_insert((step, reason));
    }

    pub(crate) fn unrecorded(&self) -> Option<(String, String)> {
        lock(&self.unrecorded).clone()
    }
}
