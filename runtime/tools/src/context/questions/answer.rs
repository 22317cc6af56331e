//! The answer to a question of a call: who gives it, and what happens without one.

use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::context::{AbortCause, RunContext, ToolContext};
use crate::deadline::Deadline;
use crate::event::EventKind;
use crate::journal::{JournalError, StepId, fingerprint};
use crate::question::{Answer, Question, QuestionKind, QuestionParts};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::Effect;
use onionskin_definitions::json::{exact_value, holds_long_numbers, repair};
use onionskin_definitions::secret::Redact as _;

/// Why a question has no answer.
pub(crate) enum Unanswered {
    /// There is no answerer, and the call cannot pause, for this reason.
    NoAnswerer(&'static str),
    /// The answerer failed, for this reason.
    Failed(&'static str),
    /// The answer does not fit the question, for this reason.
    Unfit(String),
    /// The answerer did not answer within this time.
    Late(Duration),
    /// Nobody answers while the call runs, and the call does not wait any longer.
    NotNow,
}

/// What happens to a call whose question is left open.
pub(crate) enum Open<'o> {
    /// It waits, and the run pauses.
    Waits,
    /// The same, after this was done.
    WaitsAfter(Box<dyn FnOnce() + Send + 'o>),
    /// It goes on without an answer.
    GoesOn,
}

/// A question of a call, and a hash of its content, secrets included.
pub(crate) struct OwnQuestion {
    pub(crate) question: Question,
    pub(super) hash: String,
    /// The unmasked question, if it contains secrets.
    whole: Option<Question>,
}

/// The arguments as a person sees them. An integer that a [`Value`] would round is shown as a string of its
/// digits, so that a person does not approve another amount.
pub(super) fn shown(args: &Args) -> Value {
    let Ok(object) = args.as_object() else { return Value::Object(Map::new()) };
    let text = args.text();
    if !holds_long_numbers(&text) {
        return Value::Object(object.clone());
    }
    let mut shown = object.clone();
    if let Ok(Value::Object(exact)) = exact_value(repair(&text).as_deref().unwrap_or(&text)) {
        shown.extend(exact);
    }
    Value::Object(shown)
}

/// A request to an answerer or an approver. `None` leaves the question open.
pub(crate) type Front<'f> = BoxFuture<'f, Result<Option<Answer>, Unanswered>>;

impl ToolContext {
    pub(super) fn new_question(
        &self,
        kind: QuestionKind,
        step: StepId,
        args: Option<&Args>,
        text: Option<String>,
        answer_schema: Value,
    ) -> OwnQuestion {
        let run = self.run();
        let mut agents: Vec<Arc<str>> = vec![run.instance_name().into()];
        let mut above = run.parent();
        while let Some(parent) = above {
            agents.insert(0, parent.instance_name().into());
            above = parent.parent();
        }
        let forms = match kind {
            QuestionKind::Approval => &QuestionParts::approval_forms(),
            QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_)
            | QuestionKind::Caller(_) => &answer_schema,
        };
        let hash = fingerprint(&(&kind, args.map(Args::text), &text, forms));
        let mut question = Question::from_parts(QuestionParts {
            key: run.journal_step(step.clone()).to_string().into(),
            step,
            kind,
            agents,
            tool: self.tool_name().into(),
            call_id: self.call_id().into(),
            arguments: args.map_or_else(|| Value::Object(Map::new()), shown),
            text,
            answer_schema,
        });
        let mut whole = None;
        if let Some(redactor) = run.concealed().redactor() {
            whole = Some(question.clone());
            question.redact(&redactor);
        }
        OwnQuestion { question, hash, whole }
    }

    /// Finds the answer to a question, as a step: the recorded answer, else the answer that the run was
    /// resumed with, else the answer of `front`. Otherwise the call waits, and the run pauses when its other
    /// calls have ended.
    ///
    /// # Errors
    /// Returns an error if there is no answerer and the call cannot pause.
    pub(crate) async fn answer_to(
        &self,
        own: OwnQuestion,
        front: Option<Front<'_>>,
        open: Open<'_>,
    ) -> Result<Answer, Unanswered> {
        let run = self.run();
        let OwnQuestion { question, hash, whole } = own;
        let id = question.step().clone();
        let work = async || {
            let whole = whole.as_ref().unwrap_or(&question);
            let provided =
                run.questions().and_then(|questions| questions.answer(question.key(), &hash, whole));
            // The program may have changed the question since.
            if let Some(provided) = provided.and_then(|provided| question.fit(provided).ok()) {
                return Ok(provided);
            }
            // Do not ask about a call that cannot run. The refusal is recorded as an answer, because a replay
            // of concurrent calls may admit another one first.
            if *question.kind() == QuestionKind::Approval
                && let Some(reason) = self.not_admitted()
            {
                return Ok(Answer::deny(reason));
            }
            let was_asked = front.is_some();
            if let Some(problem) = self.no_pause(was_asked).filter(|_| !was_asked) {
                return Err(Unanswered::NoAnswerer(problem));
            }
            if let (false, Open::GoesOn) = (was_asked, &open) {
                return Err(Unanswered::NotNow);
            }
            run.events()
                .push(question.step().as_step(), EventKind::QuestionAsked { question: question.clone() });
            if let Some(front) = front
                && let Some(answer) = self.ask_person(front).await?
            {
                return match question.fit(answer) {
                    Ok(answer) => Ok(answer),
                    Err(problem) => {
                        let problem = run.hide_text(problem.to_string()).into_owned();
                        tracing::error!(tool = self.tool_name(), "{problem}");
                        Err(Unanswered::Unfit(problem))
                    }
                };
            }
            match open {
                Open::Waits => {}
                Open::WaitsAfter(first) => first(),
                Open::GoesOn => return Err(Unanswered::NotNow),
            }
            self.leave_open(question, hash.clone(), was_asked).await
        };
        // Other calls can run while a person decides.
        self.without_permit(run.step(id, || (Effect::Pure, hash.clone()), work)).await
    }

    /// A request to the answerer of the run, if there is one.
    pub(crate) fn front(&self, question: &Question) -> Option<Front<'_>> {
        let (answerer, question) = (self.run().answerer()?, question.clone());
        Some(Box::pin(async move {
            AssertUnwindSafe(answerer.answer_dyn(question)).catch_unwind().await.map_err(|_| {
                tracing::error!(tool = self.tool_name(), "the answerer panicked");
                Unanswered::Failed("the answerer panicked")
            })
        }))
    }

    /// Waits for an answer. The limits of callers do not count the wait. The reader of the run's events gets those before the question first.
    async fn ask_person(&self, front: Front<'_>) -> Result<Option<Answer>, Unanswered> {
        let deadline = self.run().deadline();
        let _waits = deadline.as_ref().map(Deadline::wait_for_person);
        self.run().events().read().await;
        front.await
    }

    /// Why the run cannot pause with a question of this call, and how to fix it; `None` if it can.
    /// `was_asked`: an answerer left the question open.
    fn no_pause(&self, was_asked: bool) -> Option<&'static str> {
        if self.run().session().is_none() {
            return Some("the call belongs to no run; call it in a run of an agent");
        }
        match (self.is_on_another_thread(), self.run().questions().is_none(), was_asked) {
            (true, _, false) => Some(
                "its run has no answerer, and its code runs apart from the call, as a `blocking` function and an `on_error` handler do, so \
                 that it cannot be paused; set `.answerer(..)` on the builder of \
                 the agent, or make the function `async` without `blocking`",
            ),
            (true, _, true) => Some(
                "the answerer left the question open, and the code that asks runs apart from the call, as a `blocking` function and an \
                 `on_error` handler do, so that it cannot be paused; let the answerer answer \
                 or decline, or make the function `async` without `blocking`",
            ),
            (false, true, false) => Some(
                "its run has no answerer, and keeps no records to pause with; declare the tool with `#[tool(asks)]`, by hand \
                 with `ToolDefinition::asks`; for a hook that asks, set `.answerer(..)` or `.journal(..)` on the builder of \
                 the agent",
            ),
            (false, true, true) => Some(
                "the answerer left the question open, and the run keeps no records to pause with; declare the tool with \
                 `#[tool(asks)]`, by hand with `ToolDefinition::asks`; for a hook that asks, set `.journal(..)` on the builder of \
                 the agent; or let the answerer answer or decline",
            ),
            (false, false, _) => None,
        }
    }

    /// Waits forever, so that the run pauses with this question.
    async fn leave_open<T>(
        &self,
        question: Question,
        hash: String,
        was_asked: bool,
    ) -> Result<T, Unanswered> {
        if let Some(problem) = self.no_pause(was_asked) {
            return Err(Unanswered::NoAnswerer(problem));
        }
        let Some(questions) = self.run().questions() else { return pending().await };
        if let Some((step, problem)) = questions.unrecorded() {
            let run = self.run();
            let error = JournalError::unrecordable_at(run.run_id(), step, problem);
            run.abort_for(AbortCause::Journal(error));
        } else {
            questions.open(question, hash);
            self.data(|data| data.is_waiting = true);
        }
        // The run drops this future.
        pending().await
    }

    /// Whether the asking code is an attempt on its own thread, which cannot be dropped.
    pub(super) fn is_on_another_thread(&self) -> bool {
        self.extra.get().and_then(|extra| extra.token.get()).is_some_and(|token| !token.owner)
    }
}

impl RunContext {
    /// Notes a step that cannot be replayed. Returns whether the run continues: it does if it keeps records
    /// for a pause only. It cannot pause then.
    pub(crate) fn continues_unrecorded(&self, step: &StepId, problem: &str) -> bool {
        let Some(questions) = self.questions().filter(|questions| questions.own().is_some()) else {
            return false;
        };
        questions.note_unrecorded(step.to_string(), problem.to_owned());
        true
    }
}

impl ToolContext {
    /// Whether the call waits for a person in a later run: the futures of its hooks and its tool are dropped, and the
    /// run pauses when its other calls have ended. A hook that is dropped can tell so from a call that was cancelled.
    pub fn is_waiting(&self) -> bool {
        self.run().questions().is_some() && self.data_if_any(|data| data.is_waiting).unwrap_or(false)
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Waits forever, because the child run of this call is paused or stopped.
    pub async fn wait_with_child<T>(&self) -> T {
        self.data(|data| data.is_waiting = true);
        pending().await
    }
}
