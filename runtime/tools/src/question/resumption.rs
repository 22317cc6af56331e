//! Resuming a paused run: checks of the answers, and the journal of the resumed run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Answer, AnswerError, Paused, ProvidedAnswer, Questions, Use};
use crate::journal::{Journal, MemoryJournal, Step, recorded};
use crate::trace::TraceParent;

/// The paused run and the answers of a request; empty for a new run.
#[derive(Debug, Default)]
pub struct Resumption {
    /// The paused run.
    pub paused: Option<Paused>,
    /// The answers and the keys of their questions.
    pub answers: Vec<(String, Answer)>,
}

/// The journal and the questions of a run.
#[derive(Default)]
pub struct Recording {
    /// The journal, which records the steps.
    pub journal: Option<Arc<dyn Journal>>,
    /// The questions of the run.
    pub questions: Option<Arc<Questions>>,
    /// The use of the paused value, if it contains the records of the run.
    pub used: Option<Use>,
}

impl Resumption {
    /// Checks the answers and finds the records. `journal` is the program's journal; `may_pause` is whether
    /// calls of the agent may pause the run; `in_session` is whether the run is in a session of the program.
    ///
    /// # Errors
    /// Returns an error if an answer does not fit the run. Nothing has been recorded then.
    pub async fn recording(
        self,
        agent: &Arc<str>,
        journal: Option<&Arc<dyn Journal>>,
        run_id: &Arc<str>,
        may_pause: bool,
        in_session: bool,
    ) -> Result<Recording, AnswerError> {
        let Some(paused) = self.paused else {
            if let Some((key, _)) = self.answers.into_iter().next() {
                return Err(AnswerError::NotPaused { key });
            }
            return Ok(match journal {
                Some(journal) => Recording::in_journal(Arc::clone(journal), BTreeMap::new(), None),
                None if may_pause => Recording::in_memory(MemoryJournal::default(), BTreeMap::new(), None),
                None => Recording::default(),
            });
        };
        let run = paused.run();
        if run.agent != *agent {
            let (paused, agent) = (Arc::clone(&run.agent), Arc::clone(agent));
            return Err(AnswerError::OtherAgent { run_id: Arc::clone(run_id), paused, agent });
        }
        if run.run_id != *run_id {
            let (run_id, requested) = (Arc::clone(&run.run_id), Arc::clone(run_id));
            return Err(AnswerError::OtherId { run_id, requested });
        }
        if run.in_session && !in_session {
            return Err(AnswerError::NoSession { run_id: Arc::clone(run_id) });
        }
        let mut provided = BTreeMap::new();
        for (key, answer) in self.answers {
            paused.check(&key, &answer)?;
            // An answer that passed the check has a question.
            let Some(shown) = paused.question(&key).cloned() else { continue };
            let hash = paused.hash(&key);
            if provided.insert(key.clone(), ProvidedAnswer { answer, hash, shown }).is_some() {
                return Err(AnswerError::Twice { key });
            }
        }
        let traceparent = run.traceparent.clone();
        match (&run.records, journal) {
            (Some(records), _) => {
                let used = paused.begin().ok_or_else(|| AnswerError::Used { run_id: Arc::clone(run_id) })?;
                let journal = MemoryJournal::with_records(run_id, records.iter().cloned());
                let recording = Recording::in_memory(journal, provided, traceparent);
                let used = recording.questions.as_ref().map(|questions| used.by(questions));
                Ok(Recording { used, ..recording })
            }
            (None, Some(journal)) => {
                for (key, ProvidedAnswer { answer, .. }) in &provided {
                    check_not_answered(&paused, &**journal, key, answer).await?;
                }
                Ok(Recording::in_journal(Arc::clone(journal), provided, traceparent))
            }
            (None, None) => {
                let agent = Arc::clone(agent);
                Err(AnswerError::NoJournal { run_id: Arc::clone(run_id), agent })
            }
        }
    }
}

/// Checks that the journal has no other answer to the question. The same answer is accepted: a process that
/// crashed cannot know whether its answer was recorded.
async fn check_not_answered(
    paused: &Paused,
    journal: &dyn Journal,
    key: &str,
    answer: &Answer,
) -> Result<(), AnswerError> {
    let Some(question) = paused.question(key) else { return Ok(()) };
    let step = Step::in_run(paused.run_id().into(), Arc::default(), question.step().clone());
    match recorded::<Answer>(journal, &step).await.map_err(AnswerError::Journal)? {
        Some(recorded) if recorded == *answer => Ok(()),
        Some(_) => Err(AnswerError::Late { key: key.to_owned() }),
        None => Ok(()),
    }
}

impl Recording {
    /// The records of the run in memory, if no journal of the program has them.
    pub fn own(&self) -> Option<Arc<MemoryJournal>> {
        self.questions.as_ref()?.own_shared()
    }

    /// `traceparent` is the span of the paused run.
    fn in_journal(
        journal: Arc<dyn Journal>,
        provided: BTreeMap<String, ProvidedAnswer>,
        traceparent: Option<TraceParent>,
    ) -> Self {
        let questions = Questions::new(provided, None).with_traceparent(traceparent);
        Self { journal: Some(journal), questions: Some(Arc::new(questions)), used: None }
    }

    fn in_memory(
        journal: MemoryJournal,
        provided: BTreeMap<String, ProvidedAnswer>,
        traceparent: Option<TraceParent>,
    ) -> Self {
        let own = Arc::new(journal);
        let questions = Questions::new(provided, Some(Arc::clone(&own))).with_traceparent(traceparent);
        Self { journal: Some(own as _), questions: Some(Arc::new(questions)), used: None }
    }
}
