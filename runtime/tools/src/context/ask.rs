//! Questions of tools and hooks to a person.

use std::any::type_name;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use super::asking::{Front, Unanswered};
use super::{AbortCause, Data, ToolContext};
use crate::journal::{StepId, StepKind, recorded, recorded_for};
use crate::question::{Answer, AnswerType, AskError, QuestionKind};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Asks, Effect, type_schema};
use onionskin_definitions::schema::mistake;

/// The names of the questions of a call, as in their steps.
#[derive(Default)]
pub(super) struct QuestionNames {
    in_step: Vec<String>,
    outside: Vec<String>,
    /// The names in the function's current start; `None` outside the function.
    in_start: Option<Vec<String>>,
    /// The answers that earlier starts of the function received, each with the question's name in its start
    /// and the question's hash.
    answered: Vec<(String, String, Answer)>,
}

/// A start of a tool's function.
pub(super) struct FunctionStart<'c>(&'c ToolContext);

/// How long a call waited for answers.
#[derive(Clone, Copy, Default)]
pub(super) struct Waited {
    before: Duration,
    /// The number of open questions, and when the first of them was asked.
    now: Option<(u32, Instant)>,
}

/// The schema of the answer, and the time limit for an answerer.
pub(super) struct ExpectedAnswer {
    pub(super) schema: Value,
    pub(super) limit: Option<Duration>,
}

impl ExpectedAnswer {
    fn of<T: AnswerType>() -> Self {
        Self { schema: type_schema::<T>(), limit: None }
    }
}

/// Limits the wait for an answer.
fn within(limit: Duration, front: Front<'_>) -> Front<'_> {
    Box::pin(async move { tokio::time::timeout(limit, front).await.unwrap_or(Err(Unanswered::Late(limit))) })
}

/// A wait for an answer.
struct Waiting<'c>(&'c ToolContext);

impl ToolContext {
    /// Asks a person a question and waits for the answer, a `T`. An [`Answerer`](crate::question::Answerer)
    /// answers while the run waits. Without one, the run pauses (`RunError::Paused`) as soon as its other
    /// calls have ended.
    ///
    /// When a run is resumed, a paused function starts again from its beginning, and each answered question
    /// returns its recorded answer at once. So ask first and act afterwards: code before a question runs
    /// again. The same arguments and answers must lead to the same questions in the same order; a question
    /// with another text ends the replay with `RunError::Journal`. Use [`ask_as`](Self::ask_as) for questions
    /// whose order may differ. If a hook retries the tool, earlier answers are reused. A call with the effect
    /// `Once` that waits for an answer is not in doubt; it is in doubt if the process ends between the last
    /// answer and the end of the call.
    ///
    /// The question shows the current arguments of the call, and the answer applies to them only: if an outer
    /// hook passes on other arguments when the run is resumed, the question is open again. The question does
    /// not show later changes by the asking hook or by hooks inside it, so place a hook that changes
    /// arguments outside the one that asks. Typed hooks and their function show the arguments that reached
    /// the outermost typed hook.
    ///
    /// The wait does not count towards the tool's `timeout`, and the call holds no `max_parallel` permit
    /// meanwhile. Declare the tool with `#[tool(asks)]` (`ToolDefinition::asks`), so that its runs can pause.
    /// The run records the answer, so the answer must not contain a secret.
    ///
    /// ```
    /// use onionskin::question::{Answer, AskError, Question};
    /// use onionskin::{ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Orders shoes.
    /// #[tool(asks, effect = once)]
    /// async fn order_shoes(cx: &ToolContext, model: String) -> Result<String, AskError> {
    ///     let size: u8 = cx.ask(format!("Which size of {model}?")).await?;
    ///     Ok(format!("ordered {model} in size {size}"))
    /// }
    ///
    /// agent! { Shop { instruction: "Sell shoes.", function_tools: [order_shoes] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let call = ScriptedTurn::call("order_shoes", json!({ "model": "Runner" }));
    /// let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
    /// let shop = Shop::builder().model(model).answerer(|question: Question| async move {
    ///     assert_eq!(question.text(), Some("Which size of Runner?"));
    ///     Answer::value(41).ok()
    /// });
    /// assert_eq!(shop.run("Shoes, please.").await.unwrap().text, "ordered Runner in size 41");
    /// # });
    /// ```
    ///
    /// Cancel safety: if the future is dropped, the question stays open; the next call of this method asks
    /// the next question.
    ///
    /// # Errors
    /// Returns an error if the person declines, or if `T` cannot be deserialised from an answer that fits its
    /// schema. A tool that returns the error fails with a tool error. If no answerer answers and the run
    /// cannot pause, because the tool is not declared with `asks` or is `blocking`, the run ends with
    /// `RunError::CannotAsk`.
    pub async fn ask<T: AnswerType>(&self, text: impl Into<String>) -> Result<T, AskError> {
        read(
            self.ask_value(QuestionKind::Question, None, Some(text.into()), ExpectedAnswer::of::<T>())
                .await?,
        )
    }

    /// As [`Self::ask`], with a name that replaces the question's number in the call. Use it if the order of
    /// the questions varies, for example for concurrent questions.
    ///
    /// Cancel safety: as [`Self::ask`].
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_as<T: AnswerType>(&self, name: &str, text: impl Into<String>) -> Result<T, AskError> {
        let kind = QuestionKind::Question;
        read(self.ask_value(kind, Some(name), Some(text.into()), ExpectedAnswer::of::<T>()).await?)
    }

    /// As [`Self::ask`], with a JSON Schema for the answer that is known only at run time.
    ///
    /// Cancel safety: as [`Self::ask`].
    ///
    /// # Errors
    /// As [`Self::ask`]; also if answers cannot be checked against the schema.
    pub async fn ask_json(&self, text: impl Into<String>, schema: Value) -> Result<Value, AskError> {
        if let Some(problem) = mistake(&schema) {
            return Err(AskError::Schema { tool: self.tool_name().into(), problem });
        }
        self.ask_value(
            QuestionKind::Question,
            None,
            Some(text.into()),
            ExpectedAnswer { schema, limit: None },
        )
        .await
    }

    /// Waits for the result of a call that another program executes: the equivalent of `#[tool(external)]`
    /// for a hand-written tool. It asks a question of the kind [`External`](QuestionKind::External), with the
    /// arguments of the call.
    ///
    /// ```
    /// use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
    ///
    /// /// Is done by the user's own machine.
    /// #[derive(Default)]
    /// struct TakePhoto;
    ///
    /// impl Tool for TakePhoto {
    ///     const NAME: &'static str = "take_photo";
    ///     type State = ();
    ///     fn definition(&self) -> &ToolDefinition {
    ///         static DEFINITION: std::sync::LazyLock<ToolDefinition> =
    ///             std::sync::LazyLock::new(|| ToolDefinition::new(TakePhoto::NAME, "Takes a photo.").asks());
    ///         &DEFINITION
    ///     }
    ///     async fn run(&self, cx: &ToolContext, _args: &mut Args) -> ToolResult {
    ///         Ok(ToolOutput::text(cx.external::<String>().await?))
    ///     }
    /// }
    /// ```
    ///
    /// Cancel safety: as [`Self::ask`].
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn external<'c, T: AnswerType + 'c>(&'c self) -> BoxFuture<'c, Result<T, AskError>> {
        // An `async fn` would have the compiler report a wrong `T` at each use of the future too.
        Box::pin(async {
            let kind = QuestionKind::External;
            read(self.ask_value(kind, Some("external"), None, ExpectedAnswer::of::<T>()).await?)
        })
    }

    pub(super) async fn ask_value(
        &self,
        kind: QuestionKind,
        name: Option<&str>,
        text: Option<String>,
        wanted: ExpectedAnswer,
    ) -> Result<Value, AskError> {
        let ExpectedAnswer { schema, limit } = wanted;
        let (step, in_start) = self.question_step(name);
        let args = self.arguments_here().map(Args::from);
        let asked = self.new_question(kind, step.clone(), args.as_ref(), text, schema);
        let hash = asked.hash.clone();
        let before = match &in_start {
            Some(name) => self.answered_before(name, &step, &hash).await,
            None => None,
        };
        let answer = if let Some(answer) = before {
            Ok(answer)
        } else {
            self.note_waiting(step).await;
            let front = match (self.front(&asked.question), limit) {
                (Some(front), Some(limit)) => Some(within(limit, front)),
                (front, _) => front,
            };
            let _waiting = Waiting::begin(self);
            self.answer_to(asked, front).await
        };
        if let (Some(name), Ok(answer)) = (in_start, &answer) {
            let answered = (name, hash, answer.clone());
            self.data(|data| data.question_names.answered.push(answered));
        }
        match answer {
            Ok(Answer::Value(value)) => Ok(value),
            Ok(Answer::Declined(reason)) => Err(AskError::Declined { reason }),
            Ok(Answer::Approval(_)) => Err(AskError::Declined { reason: None }),
            Err(Unanswered::NoAnswerer(reason)) => {
                let error = AskError::NoAnswerer { tool: self.tool_name().into(), reason };
                if self.run().session().is_some() {
                    let agent = self.agent_name().into();
                    self.abort_for(AbortCause::CannotAsk(agent, error.clone()));
                }
                Err(error)
            }
            Err(Unanswered::Failed(reason)) => {
                Err(AskError::Answerer { tool: self.tool_name().into(), reason: reason.to_owned() })
            }
            Err(Unanswered::Unfit(reason)) => {
                Err(AskError::Answerer { tool: self.tool_name().into(), reason })
            }
            Err(Unanswered::Late(limit)) => Err(AskError::TimedOut { tool: self.tool_name().into(), limit }),
        }
    }

    /// Returns the step of the call's next question, and the question's name in the function's start.
    /// Questions inside the call's step are numbered separately, because a replay skips them.
    fn question_step(&self, name: Option<&str>) -> (StepId, Option<String>) {
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
    async fn answered_before(&self, name: &str, question: &StepId, hash: &str) -> Option<Answer> {
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
    pub(super) fn enter_function(&self) -> Option<FunctionStart<'_>> {
        if self.definition().asks != Asks::More {
            return None;
        }
        self.data(|data| data.question_names.in_start = Some(Vec::new()));
        Some(FunctionStart(self))
    }

    /// Restarts the numbering of questions for the next attempt's step.
    pub(super) fn number_questions_anew(&self) {
        self.data_if_any(|data| data.question_names.in_step.clear());
    }

    /// Records that a function with the effect `Once` reached a question, so that the call is not in doubt
    /// while it waits.
    async fn note_waiting(&self, question: StepId) {
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
    pub(super) async fn was_waiting(&self) -> bool {
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

    pub(super) fn begin_segments(&self) {
        if self.definition().effect == Effect::Once {
            self.data(|data| data.segment = 0);
        }
    }

    /// How long the call has waited for answers until now.
    pub(super) fn waited(&self) -> Duration {
        let waited = self.data_if_any(|data| data.waited).unwrap_or_default();
        waited.before + waited.now.map_or(Duration::ZERO, |(_, since)| since.elapsed())
    }
}

impl<'c> Waiting<'c> {
    fn begin(cx: &'c ToolContext) -> Self {
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

pub(super) fn read<T: AnswerType>(value: Value) -> Result<T, AskError> {
    serde_json::from_value(value)
        .map_err(|error| AskError::Unreadable { type_name: type_name::<T>(), reason: error.to_string() })
}
