//! The names of a call's questions: a restart of the function finds the answers of an earlier start by them.

use crate::context::ToolContext;
use crate::journal::{StepId, StepKind, recorded_for};
use crate::question::Answer;
use onionskin_definitions::definition::{Asks, Effect};

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

/// A start of a tool's function.
pub(in crate::context) struct FunctionStart<'c>(&'c ToolContext);

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
        let same = |(other, asked, _): &&(String, String, Answer)| other == name && asked == hash;
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
    pub(in crate::context) fn enter_function(&self) -> Option<FunctionStart<'_>> {
        if self.definition().asks != Asks::More {
            return None;
        }
        self.data(|data| data.question_names.in_start = Some(Vec::new()));
        Some(FunctionStart(self))
    }

    /// Restarts the numbering of questions for the next attempt's step.
    pub(in crate::context) fn number_questions_anew(&self) {
        self.data_if_any(|data| data.question_names.in_step.clear());
    }
}

impl Drop for FunctionStart<'_> {
    fn drop(&mut self) {
        self.0.data(|data| data.question_names.in_start = None);
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
