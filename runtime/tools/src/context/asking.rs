//! Questions of a call for a person: who answers them, and what becomes of the call without an answer.

use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::{AbortCause, RunContext, ToolContext};
use crate::approval::{Always, Approval};
use crate::event::EventKind;
use crate::journal::{JournalError, StepId, StepKind, StepRef, fingerprint, recorded};
use crate::question::{Answer, Asked, Question, QuestionKind};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Asks, Effect, ToolDefinition, bring_into_types};
use onionskin_definitions::json::{exact_value, holds_long_numbers, repair};
use onionskin_definitions::secret::Redact as _;

/// Why a question has no answer.
pub(crate) enum Unanswered {
    /// No person can be asked, and the call cannot be paused, for this reason.
    NoAnswerer(&'static str),
    /// Who was asked gave no answer that can be used, for this reason.
    Failed(&'static str),
    /// Who was asked gave an answer that does not fit the question, for this reason.
    Unfit(String),
    /// Who was asked gave no answer in this time.
    Late(Duration),
}

/// A question of a call, and a hash of what it asks, secrets included.
pub(crate) struct OwnQuestion {
    pub(crate) question: Question,
    pub(super) hash: String,
    /// The question with its secrets, if it has some.
    whole: Option<Question>,
}

/// The arguments for a person. A whole number that a value would round is a string of its digits, so that a person does not approve another amount.
fn shown(args: &Args) -> Value {
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

/// Asks somebody who may be there. `None` leaves the question open.
pub(crate) type Front<'f> = BoxFuture<'f, Result<Option<Answer>, Unanswered>>;

impl ToolContext {
    /// The question whether the call may run with these arguments. They are a part of its step, so other arguments are another
    /// question, and the same ones are not asked about again in another attempt.
    pub(crate) fn approval_question(
        &self,
        definition: &ToolDefinition,
        args: &Args,
        reason: Option<String>,
    ) -> OwnQuestion {
        let schema = args.attached_schema().unwrap_or(&definition.input_schema);
        let step = self.approval_step(&fingerprint(&*args.text()));
        self.question_of(QuestionKind::Approval, step, Some(args), reason, Asked::approval_schema(schema))
    }

    /// The step of the approval of these arguments, by their hash.
    fn approval_step(&self, args: &str) -> StepId {
        let mut step = StepId { attempt: 0, ..self.step_id(StepKind::Ask) };
        step.name = format!("{}.{}", self.tool_name(), &args[..12]).into();
        step
    }

    /// Whether a person allowed calls like this one for the rest of the session, in a run of the same user.
    pub(crate) fn is_always_allowed(&self, args: &str) -> bool {
        let Some(session) = self.run().session() else { return false };
        let (agent, tool) = (self.agent_name(), self.tool_name());
        session.allowed().has(self.run().user_id().as_ref(), agent, tool, self.definition(), args)
    }

    /// Allows calls like this one, with these arguments, for the rest of the session, in the runs of the same user.
    pub(crate) fn allow_always(&self, args: &str, which: Always) {
        if let Some(session) = self.run().session() {
            let (agent, tool) = (self.agent_name(), self.tool_name());
            session.allowed().add(self.run().user_id(), agent, tool, self.definition(), args, which);
        }
    }

    /// Allows what a person allowed for the rest of the session in a call that is answered from its record.
    pub(crate) async fn recall_approval(&self) {
        let Some(journal) = self.run().journal().filter(|_| self.definition().asks != Asks::Nothing) else {
            return;
        };
        let Some((args, hash)) = self.data(|data| data.asked.clone()) else { return };
        let step = self.run().journal_step(self.approval_step(&hash));
        let answer = match recorded(&**journal, &step).await {
            Ok(answer) => answer,
            Err(error) => return self.run().abort_for(AbortCause::Journal(error)),
        };
        match answer {
            Some(Answer::Approval(Approval::AllowAlways(which))) => self.allow_always(&args.text(), which),
            Some(Answer::Approval(Approval::AllowWith(with))) => {
                let mut args = args;
                let shown = shown(&args);
                self.change_args(self.definition(), &mut args, with, &shown);
            }
            _ => {}
        }
    }

    /// Sets the arguments that a person approved in place of those that were shown, and reports them. What was left as it was shown keeps its
    /// value: secrets are masked where it is shown, and long numbers are texts.
    pub(crate) fn change_args(
        &self,
        definition: &ToolDefinition,
        args: &mut Args,
        with: Map<String, Value>,
        shown: &Value,
    ) {
        let gone = |args: &Args| {
            let names = args.as_object().into_iter().flat_map(Map::keys);
            names.filter(|name| !with.contains_key(*name)).cloned().collect::<Vec<_>>()
        };
        for name in gone(args) {
            args.remove(&name);
        }
        for (name, value) in with {
            if args.get(&name).is_none() || shown.get(&name) != Some(&value) {
                // Arguments that are no object have no approval.
                let _ = args.insert(name, value);
            }
        }
        bring_into_types(definition, args);
        let kind = EventKind::ArgumentsChanged {
            call_id: self.call_id().into(),
            tool: self.tool_name().into(),
            arguments: args.text(),
        };
        // The step of the call as a whole, as its start and its end have it.
        self.run().events().push(StepRef { attempt: 0, ..self.step(StepKind::Tool) }, kind);
    }

    pub(super) fn question_of(
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
            QuestionKind::Approval => &Asked::approval_forms(),
            QuestionKind::Question | QuestionKind::External | QuestionKind::Component(_) => &answer_schema,
        };
        let hash = fingerprint(&(&kind, args.map(Args::text), &text, forms));
        let mut question = Question::of(Asked {
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

    /// Finds the answer to a question, as a step: the recorded answer; else the one that the run was resumed with; else that of
    /// `front`. Without one of them the call waits, and its run pauses when its other calls have ended.
    ///
    /// # Errors
    /// Returns an error if no person can be asked and the call cannot be paused.
    pub(crate) async fn answer_to(
        &self,
        asked: OwnQuestion,
        front: Option<Front<'_>>,
    ) -> Result<Answer, Unanswered> {
        let run = self.run();
        let OwnQuestion { question, hash, whole } = asked;
        let id = question.step().clone();
        let work = async || {
            let whole = whole.as_ref().unwrap_or(&question);
            let given = run.questions().and_then(|questions| questions.given(question.key(), &hash, whole));
            // The question may be another one since the program changed.
            if let Some(given) = given.and_then(|given| question.fit(given).ok()) {
                return Ok(given);
            }
            // Nobody is asked about a call that cannot run. It is recorded as an answer, because in a replay of calls side by side it may be
            // another one that came first.
            if *question.kind() == QuestionKind::Approval
                && let Some(reason) = self.not_admitted()
            {
                return Ok(Answer::deny(reason));
            }
            let was_asked = front.is_some();
            if let Some(problem) = self.no_pause(was_asked).filter(|_| !was_asked) {
                return Err(Unanswered::NoAnswerer(problem));
            }
            run.events().push(question.step().as_step(), EventKind::Asked { question: question.clone() });
            if let Some(front) = front
                && let Some(answer) = front.await?
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
            self.leave_open(question, hash.clone(), was_asked).await
        };
        // Other calls can run while a person decides.
        self.without_permit(run.step(id, || (Effect::Pure, hash.clone()), work)).await
    }

    /// Asks the answerer of the run, if there is one.
    pub(crate) fn front(&self, question: &Question) -> Option<Front<'_>> {
        let (answerer, question) = (self.run().answerer()?, question.clone());
        Some(Box::pin(async move {
            AssertUnwindSafe(answerer.answer_dyn(question)).catch_unwind().await.map_err(|_| {
                tracing::error!(tool = self.tool_name(), "the answerer panicked");
                Unanswered::Failed("the answerer panicked")
            })
        }))
    }

    /// Why the run cannot pause with a question of this call, and what to do; `None` if it can. `was_asked`: somebody was asked, and left
    /// the question open.
    fn no_pause(&self, was_asked: bool) -> Option<&'static str> {
        if self.run().session().is_none() {
            return Some("the call belongs to no run; call it in a run of an agent");
        }
        match (self.is_on_another_thread(), self.run().questions().is_none(), was_asked) {
            (true, _, false) => Some(
                "its run has no answerer, and the tool is `blocking`, so that it cannot be paused; set `.answerer(..)` on the builder of \
                 the agent, or make the function `async` without `blocking`",
            ),
            (true, _, true) => Some(
                "the answerer left the question open, and the tool is `blocking`, so that it cannot be paused; let the answerer answer \
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

    /// Waits for ever, so that the run pauses with this question.
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
            self.data(|data| data.is_open = true);
        }
        // The run drops this future.
        pending().await
    }

    /// Whether the code that asks is an attempt on a thread of its own, which nothing can drop.
    fn is_on_another_thread(&self) -> bool {
        self.extra.get().and_then(|extra| extra.token.get()).is_some_and(|token| !token.owner)
    }
}

impl RunContext {
    /// Notes a step that cannot be replayed. Returns whether the run goes on: its records are kept for a pause only, and then it
    /// cannot pause.
    pub(crate) fn goes_on_unrecorded(&self, step: &StepId, problem: &str) -> bool {
        let Some(questions) = self.questions().filter(|questions| questions.own().is_some()) else {
            return false;
        };
        questions.note_unrecorded(step.to_string(), problem.to_owned());
        true
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Whether the call waits for an answer that does not come in this run.
    pub fn is_open(&self) -> bool {
        self.run().questions().is_some() && self.data_if_any(|data| data.is_open).unwrap_or(false)
    }

    /// Waits for ever, because the run that this call began is paused.
    pub async fn wait_with_child<T>(&self) -> T {
        self.data(|data| data.is_open = true);
        pending().await
    }
}
