//! What a session's log says apart from its conversations.

use std::sync::Arc;

use crate::journal::StepRecord;
use crate::model::{ToolResultMessage, UsageByModel};
use crate::question::{Answer, Paused, Question, QuestionKind};
use crate::session_store::Change;
use onionskin_definitions::content::ContentBlock;

/// What the records of a log say, in their order. Readers of a log and its writer take them in by [`Facts::note`].
#[derive(Default)]
pub(super) struct Facts {
    /// The tokens that the runs used.
    pub(super) usage: UsageByModel,
    /// The user of the first run that has one.
    pub(super) user: Option<Arc<str>>,
    /// The run that waits for answers.
    pub(super) pending: Option<Pending>,
    /// The id of the newest run, and the number of records before it.
    pub(super) newest: Option<(Arc<str>, u64)>,
}

/// A run that waits for answers.
#[derive(Clone)]
pub(super) struct Pending {
    /// The run, without the records of its steps.
    pub(super) paused: Paused,
    /// The number of records before the run.
    pub(super) since: u64,
    /// The number of messages of its conversation.
    pub(super) messages: usize,
    /// The records of its steps.
    pub(super) steps: Vec<(String, StepRecord)>,
    /// The answers that people gave since.
    pub(super) answers: Vec<StoredAnswer>,
}

/// An answer of a person.
#[derive(Clone)]
pub(super) struct StoredAnswer {
    /// The key of the question.
    pub(super) question: String,
    /// The hash of the question.
    pub(super) hash: String,
    pub(super) answer: Answer,
}

impl Facts {
    /// Takes in the next record.
    pub(super) fn note(&mut self, change: &Change) {
        match change {
            Change::Began { run_id, user, since, .. } => {
                self.user = self.user.take().or_else(|| user.clone());
                self.newest = Some((Arc::clone(run_id), *since));
            }
            Change::Usage { usage } => self.usage += usage,
            Change::Paused { paused, since, messages } => {
                // A resumed run that waits again has its earlier steps.
                let before = self.pending.take();
                let before = before.filter(|before| before.paused.run_id() == paused.run_id());
                let (steps, answers) =
                    before.map(|before| (before.steps, before.answers)).unwrap_or_default();
                let (paused, since, messages) = (Paused::clone(paused), *since, *messages);
                self.pending = Some(Pending { paused, since, messages, steps, answers });
            }
            Change::Step { run_id, step, record } => {
                if let Some(pending) = self.pending_of(run_id) {
                    pending.steps.push((step.clone(), record.clone()));
                }
            }
            Change::Answered { run_id, question, hash, answer } => {
                let (question, hash, answer) = (question.clone(), hash.clone(), answer.clone());
                if let Some(pending) = self.pending_of(run_id) {
                    pending.answers.push(StoredAnswer { question, hash, answer });
                }
            }
            Change::Resolved { .. } => self.pending = None,
            Change::Rewound { to } => {
                self.pending = self.pending.take().filter(|pending| pending.since <= *to);
            }
            // They are parts of conversations.
            Change::Message { .. }
            | Change::Results { .. }
            | Change::Cut { .. }
            | Change::Child { .. }
            | Change::Value { .. }
            | Change::State { .. }
            | Change::Thread { .. } => {}
        }
    }

    fn pending_of(&mut self, run_id: &str) -> Option<&mut Pending> {
        self.pending.as_mut().filter(|pending| pending.paused.run_id() == run_id)
    }
}

impl Pending {
    /// The run with the records of its steps, unless a journal of the program has them.
    pub(super) fn to_paused(&self) -> Paused {
        self.paused.clone().with_steps(&self.steps)
    }

    /// What gives the run up: results of its calls that waited until now, and its end. A call of a child is in another
    /// conversation, and a call with an answer may have run.
    pub(super) fn give_up(&self) -> impl Iterator<Item = Change> {
        let waited = self.paused.questions().iter().filter(|question| {
            let is_of_call = |stored: &StoredAnswer| call_of(&stored.question) == call_of(question.key());
            question.step().scope().is_empty() && !self.answers.iter().any(is_of_call)
        });
        let results: Vec<_> = waited.map(unanswered).collect();
        let results = (!results.is_empty()).then_some(Change::Results { results });
        results.into_iter().chain([self.resolved()])
    }

    /// The end of its wait.
    pub(super) fn resolved(&self) -> Change {
        Change::Resolved { run_id: self.paused.run_id().into() }
    }
}

/// The key of a question without its last part, which differs between the questions of a call.
fn call_of(key: &str) -> &str {
    key.rsplit_once("ask ").map_or(key, |(call, _)| call)
}

/// The result of a call whose question nobody answered.
fn unanswered(question: &Question) -> ToolResultMessage {
    let text = match question.kind() {
        QuestionKind::Approval => "not run: it waited for a person, and nobody answered",
        QuestionKind::Question
        | QuestionKind::External
        | QuestionKind::Component(_)
        | QuestionKind::Caller(_) => "it asked a person, and nobody answered: it may have taken effect",
    };
    let text = [ContentBlock::text(text)];
    let mut result = ToolResultMessage::new(question.call_id(), question.tool_name(), text);
    result.is_error = true;
    result
}
