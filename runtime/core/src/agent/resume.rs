//! Continuing a paused run: the checks of the answers, and the journal that the run goes on with.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::instance::Instance;
use super::run_error::RunError;
use crate::context::RunContext;
use crate::journal::{Journal, JournalError, MemoryJournal, Step, recorded};
use crate::question::{Answer, AnswerError, Given, Paused, Questions, Use};
use crate::trace::TraceParent;
use onionskin_definitions::definition::Asks;
use onionskin_definitions::secret::Redact as _;

/// What a run is continued with; nothing for a new run.
#[derive(Debug, Default)]
pub(super) struct Resumption {
    pub(super) paused: Option<Paused>,
    pub(super) answers: Vec<(String, Answer)>,
}

/// Where the steps of a run are recorded, and its questions.
#[derive(Default)]
pub(super) struct Recording {
    pub(super) journal: Option<Arc<dyn Journal>>,
    pub(super) questions: Option<Arc<Questions>>,
    /// The use of the paused value, if it has the records of the run.
    pub(super) used: Option<Use>,
}

impl Resumption {
    /// Checks the answers and finds the records. `journal` is the program's; `has_approver` tells whether approvals are answered
    /// without a pause, and `in_session` whether the program gave the run a session.
    ///
    /// # Errors
    /// Returns an error if an answer does not fit the run. Nothing is recorded then.
    pub(super) async fn recording(
        self,
        instance: &Instance,
        journal: Option<&Arc<dyn Journal>>,
        run_id: &Arc<str>,
        has_approver: bool,
        in_session: bool,
    ) -> Result<Recording, RunError> {
        let wrong = |source| RunError::Answer { agent: Arc::clone(&instance.name), source };
        let Some(paused) = self.paused else {
            if let Some((key, _)) = self.answers.into_iter().next() {
                return Err(wrong(AnswerError::NotPaused { key }));
            }
            let may_pause = instance.asks == Asks::More || (instance.asks == Asks::Approval && !has_approver);
            return Ok(match journal {
                Some(journal) => Recording::of(Arc::clone(journal), BTreeMap::new(), None),
                None if may_pause => Recording::own(MemoryJournal::default(), BTreeMap::new(), None),
                None => Recording::default(),
            });
        };
        let run = paused.run();
        if run.agent != instance.name {
            let (paused, agent) = (Arc::clone(&run.agent), Arc::clone(&instance.name));
            return Err(wrong(AnswerError::OtherAgent { run_id: Arc::clone(run_id), paused, agent }));
        }
        if run.run_id != *run_id {
            let (run_id, given) = (Arc::clone(&run.run_id), Arc::clone(run_id));
            return Err(wrong(AnswerError::OtherId { run_id, given }));
        }
        if run.in_session && !in_session {
            return Err(wrong(AnswerError::NoSession { run_id: Arc::clone(run_id) }));
        }
        let mut given = BTreeMap::new();
        for (key, answer) in self.answers {
            paused.check(&key, &answer).map_err(wrong)?;
            // An answer that passed the check has a question.
            let Some(shown) = paused.question(&key).cloned() else { continue };
            let hash = paused.hash(&key);
            if given.insert(key.clone(), Given { answer, hash, shown }).is_some() {
                return Err(wrong(AnswerError::Twice { key }));
            }
        }
        let beneath = run.traceparent.clone();
        match (&run.records, journal) {
            (Some(records), _) => {
                let used =
                    paused.begin().ok_or_else(|| wrong(AnswerError::Used { run_id: Arc::clone(run_id) }))?;
                let journal = MemoryJournal::with_records(run_id, records.iter().cloned());
                let recording = Recording::own(journal, given, beneath);
                let used = recording.questions.as_ref().map(|questions| used.by(questions));
                Ok(Recording { used, ..recording })
            }
            (None, Some(journal)) => {
                for (key, Given { answer, .. }) in &given {
                    unless_late(&paused, &**journal, key, answer).await.map_err(wrong)?;
                }
                Ok(Recording::of(Arc::clone(journal), given, beneath))
            }
            (None, None) => {
                let agent = Arc::clone(&instance.name);
                Err(wrong(AnswerError::NoJournal { run_id: Arc::clone(run_id), agent }))
            }
        }
    }
}

/// The end of an outermost run that pauses: its value with the input, and with the records if the run keeps its own.
pub(super) fn end_paused(paused: Paused, questions: &Questions, run: &RunContext) -> RunError {
    if let Some((step, problem)) = questions.unrecorded() {
        // The question was asked before.
        let source = JournalError::unrecordable_at(run.run_id(), step, problem);
        return RunError::Journal { agent: run.agent().name().into(), source };
    }
    let (input, attached) = questions.input();
    let records = questions.own().map(|own| own.records(run.run_id()));
    let mut paused = paused.with(|run| (run.input, run.attached, run.records) = (input, attached, records));
    let Some(redactor) = run.redactor() else { return RunError::Paused(paused) };
    if let Some(part) = paused.run().late_secret(&redactor) {
        let reason = format!(
            "the run cannot pause, because {part} holds a secret that the session learned later, and a paused run has no \
             secrets: tell the session the secret before the run (`SessionState::set_secret`)"
        );
        let source = JournalError::unrecordable_at(run.run_id(), "pause".to_owned(), reason);
        return RunError::Journal { agent: run.agent().name().into(), source };
    }
    paused.redact(&redactor);
    RunError::Paused(paused)
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
