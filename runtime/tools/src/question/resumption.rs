//! Continuing a paused run: the checks of the answers, and the journal that the run continues with.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Answer, AnswerError, Given, Paused, Questions, Use};
use crate::journal::{Journal, MemoryJournal, Step, recorded};
use crate::trace::TraceParent;

/// What a run is continued with; nothing for a new run.
#[derive(Debug, Default)]
pub struct Resumption {
    /// The paused run.
    pub paused: Option<Paused>,
    /// The answers, by the keys of their questions.
    pub answers: Vec<(String, Answer)>,
}

/// Where the steps of a run are recorded, and its questions.
#[derive(Default)]
pub struct Recording {
    /// Where the steps are recorded.
    pub journal: Option<Arc<dyn Journal>>,
    /// The questions of the run.
    pub questions: Option<Arc<Questions>>,
    /// The use of the paused value, if it has the records of the run.
    pub used: Option<Use>,
}

impl Resumption {
    /// Checks the answers and finds the records. `journal` is the program's; `may_pause` tells whether a call of the agent may wait for
    /// an answer that does not come in the run, and `in_session` whether the program gave the run a session.
    ///
    /// # Errors
    /// Returns an error if an answer does not fit the run. Nothing is recorded then.
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
                Some(journal) => Recording::of(Arc::clone(journal), BTreeMap::new(), None),
                None if may_pause => Recording::own(MemoryJournal::default(), BTreeMap::new(), None),
                None => Recording::default(),
            });
        };
        let run = paused.run();
        if run.agent != *agent {
            let (paused, agent) = (Arc::clone(&run.agent), Arc::clone(agent));
            return Err(AnswerError::OtherAgent { run_id: Arc::clone(run_id), paused, agent });
        }
        if run.run_id != *run_id {
            let (run_id, given) = (Arc::clone(&run.run_id), Arc::clone(run_id));
            return Err(AnswerError::OtherId { run_id, given });
        }
        if run.in_session && !in_session {
            return Err(AnswerError::NoSession { run_id: Arc::clone(run_id) });
        }
        let mut given = BTreeMap::new();
        for (key, answer) in self.answers {
            paused.check(&key, &answer)?;
            // An answer that passed the check has a question.
            let Some(shown) = paused.question(&key).cloned() else { continue };
            let hash = paused.hash(&key);
            if given.insert(key.clone(), Given { answer, hash, shown }).is_some() {
                return Err(AnswerError::Twice { key });
            }
        }
        let beneath = run.traceparent.clone();
        match (&run.records, journal) {
            (Some(records), _) => {
                let used = paused.begin().ok_or_else(|| AnswerError::Used { run_id: Arc::clone(run_id) })?;
                let journal = MemoryJournal::with_records(run_id, records.iter().cloned());
                let recording = Recording::own(journal, given, beneath);
                let used = recording.questions.as_ref().map(|questions| used.by(questions));
                Ok(Recording { used, ..recording })
            }
            (None, Some(journal)) => {
                for (key, Given { answer, .. }) in &given {
                    unless_late(&paused, &**journal, key, answer).await?;
                }
                Ok(Recording::of(Arc::clone(journal), given, beneath))
            }
            (None, None) => {
                let agent = Arc::clone(agent);
                Err(AnswerError::NoJournal { run_id: Arc::clone(run_id), agent })
            }
        }
    }
}

/// Checks that a question has no other answer in the journal. The same one may be there: a process that died cannot know whether
/// its answer was recorded.
async fn unless_late(
    paused: &Paused,
    journal: &dyn Journal,
    key: &str,
    answer: &Answer,
) -> Result<(), AnswerError> {
    let Some(question) = paused.question(key) else { return Ok(()) };
    let step = Step::of_run(paused.run_id().into(), Arc::default(), question.step().clone());
    match recorded::<Answer>(journal, &step).await.map_err(AnswerError::Journal)? {
        Some(recorded) if recorded == *answer => Ok(()),
        Some(_) => Err(AnswerError::Late { key: key.to_owned() }),
        None => Ok(()),
    }
}

impl Recording {
    /// `beneath` is the span of the paused run.
    fn of(journal: Arc<dyn Journal>, given: BTreeMap<String, Given>, beneath: Option<TraceParent>) -> Self {
        let questions = Questions::new(given, None).beneath(beneath);
        Self { journal: Some(journal), questions: Some(Arc::new(questions)), used: None }
    }

    fn own(journal: MemoryJournal, given: BTreeMap<String, Given>, beneath: Option<TraceParent>) -> Self {
        let own = Arc::new(journal);
        let questions = Questions::new(given, Some(Arc::clone(&own))).beneath(beneath);
        Self { journal: Some(own as _), questions: Some(Arc::new(questions)), used: None }
    }
}
