//! Questions of tools and hooks to a person, as programs ask them.

use std::any::type_name;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Front, Open, Unanswered};
use super::restart::Waiting;
use crate::context::{AbortCause, ToolContext};
use crate::question::{Answer, AnswerType, AskError, CallerRequest, QuestionKind, UiComponent};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::type_schema;
use onionskin_definitions::schema::mistake;

/// The schema of the answer, the time limit for an answerer, and what happens without an answer.
pub(super) struct ExpectedAnswer<'o> {
    schema: Value,
    limit: Option<Duration>,
    open: Open<'o>,
}

impl<'o> ExpectedAnswer<'o> {
    /// A value that fits the schema, for a question that is open so.
    pub(super) fn open(schema: Value, open: Open<'o>) -> Self {
        Self { schema, limit: None, open }
    }

    fn new<T: AnswerType>() -> Self {
        Self::with_schema(type_schema::<T>())
    }

    fn with_schema(schema: Value) -> Self {
        Self::open(schema, Open::Waits)
    }
}

/// Limits the wait for an answer.
fn within(limit: Duration, front: Front<'_>) -> Front<'_> {
    Box::pin(async move { tokio::time::timeout(limit, front).await.unwrap_or(Err(Unanswered::Late(limit))) })
}

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
            self.ask_value(QuestionKind::Question, None, Some(text.into()), ExpectedAnswer::new::<T>())
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
        read(self.ask_value(kind, Some(name), Some(text.into()), ExpectedAnswer::new::<T>()).await?)
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
        let wanted = ExpectedAnswer::with_schema(schema);
        self.ask_value(QuestionKind::Question, None, Some(text.into()), wanted).await
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
            read(self.ask_value(kind, Some("external"), None, ExpectedAnswer::new::<T>()).await?)
        })
    }

    /// Makes a request to the program that made the call, in a protocol that both know, and waits for the result. An MCP client may
    /// answer `sampling/createMessage` and `roots/list`, which MCP has deprecated. It is a question of the kind
    /// [`Caller`](QuestionKind::Caller), with a name that is unique in the call, so all that is said of [`Self::ask`] holds. A program that
    /// is no such client gives no answer, and the run ends or pauses.
    ///
    /// ```
    /// use onionskin::question::{AskError, CallerRequest};
    /// use onionskin::{ToolContext, tool};
    /// use serde_json::json;
    ///
    /// /// Lists the folders of the user.
    /// #[tool(asks)]
    /// async fn folders(cx: &ToolContext) -> Result<String, AskError> {
    ///     let roots = cx.ask_caller("folders", CallerRequest::new("roots/list", json!({}))).await?;
    ///     Ok(roots["roots"].to_string())
    /// }
    /// # let _ = folders::spec();
    /// ```
    ///
    /// Cancel safety: as [`Self::ask`].
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_caller(&self, name: &str, request: CallerRequest) -> Result<Value, AskError> {
        let kind = QuestionKind::Caller(request);
        self.ask_value(kind, Some(name), None, ExpectedAnswer::with_schema(Value::Bool(true))).await
    }

    /// Returns a handle that shows the tool's component, which `#[ui_tool]` or
    /// `ToolDefinition::with_component` declares.
    pub fn ui(&self) -> Ui<'_> {
        Ui { cx: self, limit: None }
    }

    pub(super) async fn ask_value(
        &self,
        kind: QuestionKind,
        name: Option<&str>,
        text: Option<String>,
        wanted: ExpectedAnswer<'_>,
    ) -> Result<Value, AskError> {
        let ExpectedAnswer { schema, limit, open } = wanted;
        // Do not show a person a question that changes nothing.
        if self.is_on_another_thread() && self.cancellation().is_cancelled() {
            return Err(AskError::CallEnded { tool: self.tool_name().into() });
        }
        let (step, in_start) = self.question_step(name);
        let args = self.arguments_here().map(Args::from);
        let own = self.new_question(kind, step.clone(), args.as_ref(), text, schema);
        let hash = own.hash.clone();
        let before = match &in_start {
            Some(name) => self.answered_before(name, &step, &hash).await,
            None => None,
        };
        let answer = if let Some(answer) = before {
            Ok(answer)
        } else {
            // A call that never waits is in doubt if the process ends now.
            if !matches!(open, Open::GoesOn) {
                self.note_waiting(step).await;
            }
            let front = match (self.front(&own.question), limit) {
                (Some(front), Some(limit)) => Some(within(limit, front)),
                (front, _) => front,
            };
            let _waiting = Waiting::begin(self);
            self.answer_to(own, front, open).await
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
                Err(self.cannot_ask(AskError::NoAnswerer { tool: self.tool_name().into(), reason }))
            }
            Err(Unanswered::Failed(reason)) => {
                Err(AskError::Answerer { tool: self.tool_name().into(), reason: reason.to_owned() })
            }
            Err(Unanswered::Unfit(reason)) => {
                Err(AskError::Answerer { tool: self.tool_name().into(), reason })
            }
            Err(Unanswered::NotNow) => {
                Err(AskError::NoAnswerer { tool: self.tool_name().into(), reason: NOT_NOW })
            }
            Err(Unanswered::Late(limit)) => Err(AskError::TimedOut { tool: self.tool_name().into(), limit }),
        }
    }

    /// Ends the run, if the call is in one, with an error of the program's code.
    fn cannot_ask(&self, error: AskError) -> AskError {
        if self.run().session().is_some() {
            self.abort_for(AbortCause::CannotAsk(self.agent_name().into(), error.clone()));
        }
        error
    }
}

/// Why a question of a request that waits elsewhere has no answer.
const NOT_NOW: &str = "it needs the answer while the call runs, and no answerer gave one; set `.answerer(..)` on the builder of the agent, \
                       and let it answer or decline";

fn read<T: AnswerType>(value: Value) -> Result<T, AskError> {
    serde_json::from_value(value)
        .map_err(|error| AskError::Unreadable { type_name: type_name::<T>(), reason: error.to_string() })
}

/// Shows the component of a UI tool to a person. [`ToolContext::ui`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct Ui<'c> {
    cx: &'c ToolContext,
    limit: Option<Duration>,
}

impl Ui<'_> {
    /// Limits the wait for an [`Answerer`](crate::question::Answerer). After it, the call gets
    /// [`AskError::TimedOut`], and a later answer has no effect. The limit does not apply to a run that
    /// pauses: the program that resumes it decides when to decline
    /// ([`Answer::Declined`](crate::question::Answer::Declined)). The wait does not count towards the tool's
    /// `timeout`.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use onionskin::ToolContext;
    /// use onionskin::question::AskError;
    /// use onionskin::ui::ui_tool;
    ///
    /// /// Asks the user for a colour.
    /// #[ui_tool(component = "ColourPicker", mode = inline)]
    /// async fn pick_colour(cx: &ToolContext) -> Result<String, AskError> {
    ///     let ui = cx.ui().within(Duration::from_secs(60));
    ///     match ui.use_ui_tool("colour", "Painting", ()).await {
    ///         Err(AskError::TimedOut { .. }) => Ok("blue".to_owned()),
    ///         answer => answer,
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Shows the component with this payload and waits for one answer, as [`ToolContext::ask`] does. It asks
    /// a [`Question`](crate::question::Question) of the kind [`Component`](QuestionKind::Component), which an
    /// [`EventKind::QuestionAsked`](crate::event::EventKind::QuestionAsked) reports. The question contains the tool, the
    /// agent, the id of the call, the component, its mode, `tool_id`, `workflow_name` and the payload.
    ///
    /// ```
    /// use onionskin::question::{Answer, AskError, Question, QuestionKind};
    /// use onionskin::ui::ui_tool;
    /// use onionskin::{ScriptedModel, ScriptedTurn, ToolContext, agent};
    /// use serde_json::json;
    ///
    /// /// Asks the user for a colour.
    /// #[ui_tool(component = "ColourPicker", mode = inline)]
    /// async fn pick_colour(cx: &ToolContext, thing: String) -> Result<String, AskError> {
    ///     cx.ui().use_ui_tool("colour", "Painting", json!({ "for": thing })).await
    /// }
    ///
    /// agent! { Painter { instruction: "Paint.", function_tools: [pick_colour] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let call = ScriptedTurn::call("pick_colour", json!({ "thing": "the door" }));
    /// let model = ScriptedModel::turns([call, ScriptedTurn::say("It is {last} now.")]);
    /// let painter = Painter::builder().model(model).answerer(|question: Question| async move {
    ///     let QuestionKind::Component(shown) = question.kind() else { return None };
    ///     assert_eq!((shown.component(), &shown.payload()["for"]), ("ColourPicker", &json!("the door")));
    ///     Answer::value("blue").ok()
    /// });
    /// assert_eq!(painter.run("Paint the door.").await.unwrap().text, "It is blue now.");
    /// # });
    /// ```
    ///
    /// Cancel safety: as [`ToolContext::ask`].
    ///
    /// # Errors
    /// As [`ToolContext::ask`]; also if the limit of [`within`](Self::within) passes, if `workflow_name` is
    /// empty, or if the payload cannot be serialised. If the tool has no component, the run ends with
    /// `RunError::CannotAsk`.
    pub async fn use_ui_tool<T: AnswerType>(
        self,
        tool_id: &str,
        workflow_name: &str,
        payload: impl Serialize,
    ) -> Result<T, AskError> {
        let tool = || self.cx.tool_name().into();
        let Some(ui) = &self.cx.definition().ui else {
            return Err(self.cx.cannot_ask(AskError::NoComponent { tool: tool() }));
        };
        if workflow_name.trim().is_empty() {
            return Err(AskError::NoWorkflow { tool: tool() });
        }
        let payload = serde_json::to_value(payload)
            .map_err(|error| AskError::Payload { tool: tool(), reason: error.to_string() })?;
        let shown = UiComponent {
            component: ui.component.clone().into_owned(),
            mode: ui.mode,
            tool_id: tool_id.to_owned(),
            workflow: workflow_name.to_owned(),
            payload,
        };
        let wanted = ExpectedAnswer { limit: self.limit, ..ExpectedAnswer::new::<T>() };
        read(self.cx.ask_value(QuestionKind::Component(shown), None, None, wanted).await?)
    }
}
