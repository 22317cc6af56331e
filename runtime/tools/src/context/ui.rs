//! UI components that tools show to people.

use std::time::Duration;

use serde::Serialize;

use super::ToolContext;
use super::ask::{ExpectedAnswer, read};
use crate::question::{AnswerType, AskError, QuestionKind, UiComponent};
use onionskin_definitions::definition::type_schema;

/// Shows the component of a UI tool to a person. [`ToolContext::ui`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct Ui<'c> {
    cx: &'c ToolContext,
    limit: Option<Duration>,
}

impl ToolContext {
    /// Returns a handle that shows the tool's component, which `#[ui_tool]` or
    /// `ToolDefinition::with_component` declares.
    pub fn ui(&self) -> Ui<'_> {
        Ui { cx: self, limit: None }
    }
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
    /// [`EventKind::Asked`](crate::event::EventKind::Asked) reports. The question contains the tool, the
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
    /// As [`ToolContext::ask`]; also if the limit of [`within`](Self::within) passes, if the tool has no
    /// component, if `workflow_name` is empty, or if the payload cannot be serialised.
    pub async fn use_ui_tool<T: AnswerType>(
        self,
        tool_id: &str,
        workflow_name: &str,
        payload: impl Serialize,
    ) -> Result<T, AskError> {
        let tool = || self.cx.tool_name().into();
        let Some(ui) = &self.cx.definition().ui else { return Err(AskError::NoComponent { tool: tool() }) };
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
        let wanted = ExpectedAnswer { schema: type_schema::<T>(), limit: self.limit };
        read(self.cx.ask_value(QuestionKind::Component(shown), None, None, wanted).await?)
    }
}
