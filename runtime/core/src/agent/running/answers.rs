//! Runs with a typed answer: reads the answer, and asks the model again if it does not fit.

use std::sync::Arc;

use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::schema::{Problem, problem_lines};
use onionskin_tools::event::EventKind;
use onionskin_tools::model::{Message, ToolCall, ToolResultMessage};

use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::AnswerForm;

use super::ask::Changes;
use super::batch::Batch;
use super::open_calls::PendingCalls;
use super::run::AgentRun;
use super::turns::TurnAnswer;

/// The result of the call that is the answer.
const TAKEN: &str = "The answer is taken.";
/// The result of the other calls in the same turn.
const NOT_RUN: &str = "Not run: the turn gave the final answer.";

/// The text that replaces a refused or empty answer, so that roles alternate.
pub(super) const REFUSED: &str = "(This answer was refused.)";

impl AgentRun {
    /// Runs the loop until the model gives an answer that fits. Returns its JSON.
    pub(super) async fn converse_typed(&self, form: &AnswerForm) -> Result<String, RunError> {
        let changes = Changes::typed();
        loop {
            let said = self.take_turn(&changes).await?;
            self.check_whole(&said)?;
            if let Some(answer) = self.accept_answer(form, said).await? {
                return Ok(answer);
            }
        }
    }

    /// Returns the turn's answer. If none fits, appends the messages for another turn and returns `None`.
    async fn accept_answer(&self, form: &AnswerForm, said: TurnAnswer) -> Result<Option<String>, RunError> {
        let calls = said.message.tool_calls();
        if let Some(answer) = said.parsed {
            return Ok(Some(answer));
        }
        if calls.is_empty() {
            return match form.read(&said.message.to_text()) {
                Ok(answer) => {
                    // The text of the turn passed the hooks.
                    if self.is_before_send() {
                        self.note_passed(&answer);
                    }
                    Ok(Some(answer))
                }
                Err(problems) => {
                    self.refuse_answer(form, &problems)?;
                    let mut words = form.refusal(&problems);
                    words.push_str(&match &said.answer_tool {
                        Some(tool) => format!("\nGive your answer as a call of the tool `{tool}`."),
                        None if self.has_parser() => "\nAnswer again, with a text.".to_owned(),
                        None => "\nAnswer again, with JSON that fits.".to_owned(),
                    });
                    self.append(Message::by_runtime(words))?;
                    Ok(None)
                }
            };
        }
        let is_answer = |call: &&ToolCall| said.answer_tool.as_ref().is_some_and(|tool| **tool == *call.name);
        let (mut refused, mut found, mut problems) = (Vec::new(), None, Vec::new());
        for call in calls.iter().filter(is_answer) {
            match form.read(&call.arguments) {
                Ok(answer) => {
                    found = Some((answer, &call.id));
                    break;
                }
                Err(wrong) => {
                    let mut result = result(call, &form.refusal(&wrong));
                    result.is_error = true;
                    refused.push(result);
                    problems = wrong;
                }
            }
        }
        if let Some((answer, id)) = found {
            let words = |call: &ToolCall| if call.id == *id { TAKEN } else { NOT_RUN };
            self.append(Message::tool(calls.iter().map(|call| result(call, words(call)))))?;
            return Ok(Some(answer));
        }
        let taken = if refused.is_empty() {
            self.take_all(&said)
        } else {
            self.refuse_answer(form, &problems)?;
            self.append(Message::tool(refused))?;
            let others: Vec<_> = calls.iter().filter(|call| !is_answer(call)).cloned().collect();
            let Some(taken) = self.take_some(&others)? else { return Ok(None) };
            taken
        };
        let answer = self.run_batch(Batch::new(self, said.table, taken), None).await?;
        answer.map(|answer| self.fitted(form, &answer)).transpose()
    }

    /// Marks these calls of the newest message as running; `None` without calls.
    fn take_some(&self, calls: &[ToolCall]) -> Result<Option<PendingCalls>, RunError> {
        let mut tally = self.tally();
        let taken = tally.open.as_mut().filter(|_| !calls.is_empty()).map(|open| open.take(calls));
        drop(tally);
        taken.transpose().map_err(|error| self.misuse(error))
    }

    /// Counts an answer that does not fit.
    ///
    /// # Errors
    /// Returns an error if the model may not be asked again.
    pub(super) fn refuse_answer(&self, form: &AnswerForm, problems: &[Problem]) -> Result<(), RunError> {
        let refused = {
            let mut tally = self.tally();
            tally.refused_answers += 1;
            tally.refused_answers
        };
        if refused > self.limits().output_retries {
            return Err(self.wrong_answer(form, refused, problems));
        }
        let text = format!("the answer does not fit and is asked for again: {}", problem_lines(problems));
        self.event(self.turn(), EventKind::notice(text));
        Ok(())
    }

    /// Fits the answer of a tool, a hook or a hand-written loop to the type. The model is not asked again.
    ///
    /// # Errors
    /// Returns an error if it does not fit.
    pub(super) fn fitted(&self, form: &AnswerForm, answer: &str) -> Result<String, RunError> {
        form.read_value(answer).map_err(|problems| {
            let refused = self.tally().refused_answers.saturating_add(1);
            self.wrong_answer(form, refused, &problems)
        })
    }

    /// Fits the answer of the run to its type, after the hooks.
    ///
    /// # Errors
    /// Returns an error if it does not fit its type.
    pub(in crate::agent) fn fit_answer(&self, answer: String) -> Result<String, RunError> {
        match self.answer.as_deref() {
            Some(form) => self.fitted(form, &answer),
            None => Ok(answer),
        }
    }

    /// Removes the model's answer from the conversation. `start` is the number of messages before the run's
    /// own. The provider's data of the answer is removed too, because it can contain the answer; tool calls
    /// and their results stay.
    pub(in crate::agent) fn withdraw_answer(&self, start: usize) {
        let mut conversation = self.cx.conversation();
        if conversation.len() <= start {
            return;
        }
        let is_taken = |result: &ToolResultMessage| ContentBlock::join(&result.content) == TAKEN;
        let by_call = match conversation.last() {
            Some(Message::Tool { results, .. }) => self.answer.is_some() && results.iter().any(is_taken),
            _ => false,
        };
        if by_call {
            conversation.pop();
        }
        let is_answer = match conversation.last() {
            Some(Message::Assistant { tool_calls, .. }) => by_call || tool_calls.is_empty(),
            _ => false,
        };
        if is_answer {
            conversation.pop();
            conversation.push(Message::assistant(REFUSED));
        }
    }

    fn wrong_answer(&self, form: &AnswerForm, answers: u32, problems: &[Problem]) -> RunError {
        RunError::WrongAnswer {
            agent: Arc::clone(&self.instance.name),
            output: form.schema().name().into(),
            answers,
            problems: problem_lines(problems),
        }
    }
}

fn result(call: &ToolCall, words: &str) -> ToolResultMessage {
    ToolResultMessage::new(Arc::clone(&call.id), Arc::clone(&call.name), [ContentBlock::text(words)])
}
