//! What a restart of a function finds of its questions: their names, the answers that an earlier start received, and whether it
//! still waited; and how long a call waited.

use std::time::Duration;

use tokio::time::Instant;

use crate::context::{Data, ToolContext};
use crate::journal::{StepId, StepKind, recorded, recorded_for};
use crate::question::Answer;
use onionskin_definitions::definition::{Asks, Effect};
use onionskin_definitions::on_drop::OnDrop;

/// The names of the questions of a call, as in their steps.
#[derive(Default)]
pub(in crate::context) struct QuestionNames {
    in_step: Vec<String>,
    outside: Vec<String>,
    /// The names in the function's current start; `None` outside the function.
    in_start: Option<Vec<String>>,
    /// The answers that earlier starts of the function received, each with the question's name in its start
    /// and the question's hash.
    pub(super) answered: Vec<(String, String, Answer)>,
}

/// How long a call waited for answers.
#[derive(Clone, Copy, Default)]
pub(in crate::context) struct Waited {
    before: Duration,
    /// The number of open questions, and when the first of them was asked.
    now: Option<(u32, Instant)>,
}

/// A wait for an answer.
pub(super) struct Waiting<'c>(&'c ToolContext);

impl ToolContext {
    /// Returns the step of the call's next question, and the question's name in the function's start.
    /// Questions inside the call's step are numbered separately, because a replay skips them.
    pub(super) fn question_step(&self, name: Option<&str>) -> (StepId, Option<String>) {
        let is_in_step = self.is_in_step();
        let (number, in_start) = self.data(|data| {
            let QuestionNames { in_step, outside, in_start, .. } = &mut data.question_names;
            let names = if is_in_step { in_step } else { outside };
            (next_name(names, name), in_start.as_mut().map(|names| next_name(names, name)))
        });
        let mut id = self.step_id(StepKind::Ask);
        let place = if is_in_step { "tool." } else { "" };
        id.name = format!("{}.{place}{number}", id.name).into();
        (id, in_start)
    }

    /// Returns the answer that an earlier start of the function received to the same question, so that a
    /// retry does not ask again. Hooks ask each time, because they may ask about the repetition itself.
    pub(super) async fn answered_before(&self, name: &str, question: &StepId, hash: &str) -> Option<Answer> {
        let same = |(other, other_hash, _): &&(String, String, Answer)| other == name && other_hash == hash;
        let known = self
            .data(|data| data.question_names.answered.iter().find(same).map(|(.., answer)| answer.clone()));
        let run = self.run();
        let Some(journal) = run.journal().filter(|_| known.is_none()) else { return known };
        // A replay answers an earlier attempt without running its function.
        for attempt in (1..question.attempt).rev() {
            let step = run.journal_step(StepId { attempt, ..question.clone() });
            let answer = recorded_for(&**journal, &step.with_request(Effect::Pure, hash.to_owned())).await;
            if let Some(answer) = run.unless_failed(answer).await {
                return Some(answer);
            }
        }
        None
    }

    /// Marks a start of the function of a tool that asks.
    pub(in crate::context) fn enter_function(&self) -> Option<OnDrop<impl FnMut() + '_>> {
        if self.definition().asks != Asks::More {
            return None;
        }
        self.data(|data| data.question_names.in_start = Some(Vec::new()));
        Some(OnDrop(|| self.data(|data| data.question_names.in_start = None)))
    }

    /// Restarts the numbering of questions for the next attempt's step.
    pub(in crate::context) fn number_questions_anew(&self) {
        self.data_if_any(|data| data.question_names.in_step.clear());
    }

    /// Records that a function with the effect `Once` reached a question, so that the call is not in doubt
    /// while it waits.
    pub(super) async fn note_waiting(&self, question: StepId) {
        if self.run().journal().is_none() || !self.is_once() || !self.is_in_step() {
            return;
        }
        let number = self.data(|data| {
            data.segment += 1;
            data.segment - 1
        });
        self.run().reading(self.waiting_step(number), async || question).await;
    }

    fn waiting_step(&self, number: u32) -> StepId {
        let mut id = StepId { attempt: self.tries(), ..self.step_id(StepKind::Ask) };
        id.name = format!("{}.waits.{number}", id.name).into();
        id
    }

    /// Whether the function, as started by an earlier run, reached a question that has no answer yet.
    pub(in crate::context) async fn was_waiting(&self) -> bool {
        let run = self.run();
        let Some(journal) = run.journal() else { return false };
        for number in 0.. {
            let reached = recorded::<StepId>(&**journal, &run.journal_step(self.waiting_step(number))).await;
            let Some(question) = run.unless_failed(reached).await else { return false };
            let answer = recorded::<Answer>(&**journal, &run.journal_step(question)).await;
            if run.unless_failed(answer).await.is_none() {
                return true;
            }
        }
        false
    }

    pub(in crate::context) fn begin_segments(&self) {
        if self.definition().effect == Effect::Once {
            self.data(|data| data.segment = 0);
        }
    }

    /// How long the call has waited for answers until now.
    pub(in crate::context) fn waited(&self) -> Duration {
        let waited = self.data_if_any(|data| data.waited).unwrap_or_default();
        waited.before + waited.now.map_or(Duration::ZERO, |(_, since)| since.elapsed())
    }
}

/// Returns the next free name and adds it to the list: a number for an unnamed question, a numeric suffix for
/// a duplicate name.
fn next_name(names: &mut Vec<String>, name: Option<&str>) -> String {
    let first =
        name.map_or_else(|| names.iter().filter(|name| is_number(name)).count().to_string(), str::to_owned);
    let mut next = first.clone();
    for again in 1.. {
        if !names.contains(&next) {
            break;
        }
        next = format!("{first}.{again}");
    }
    names.push(next.clone());
    next
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'c> Waiting<'c> {
    pub(super) fn begin(cx: &'c ToolContext) -> Self {
        cx.data(|Data { waited, .. }| {
            let (count, since) = waited.now.unwrap_or_else(|| (0, Instant::now()));
            waited.now = Some((count + 1, since));
        });
        Self(cx)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.data(|Data { waited, .. }| {
            waited.now = match waited.now {
                Some((count, since)) if count > 1 => Some((count - 1, since)),
                Some((_, since)) => {
                    waited.before += since.elapsed();
                    None
                }
                None => None,
            };
        });
    }
}
