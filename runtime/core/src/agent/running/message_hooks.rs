//! The message hooks of a run: on its input, its texts and its answer, and before each turn.

use std::pin::pin;
use std::sync::Arc;

use onionskin_definitions::secret::Redact as _;
use onionskin_tools::model::{ModelRequest, ModelResponse};

use crate::agent::error::run_error::RunError;
use crate::message_hook::Participant;
use crate::run_hook::RunInput;

use super::run::AgentRun;

impl AgentRun {
    /// Whether texts of the agent pass hooks before they are sent. They are then shown after the hooks.
    pub(in crate::agent) fn is_before_send(&self) -> bool {
        self.message_hooks.as_ref().is_some_and(|hooks| hooks.is_before_send())
    }

    fn participant(&self) -> Participant {
        Participant::Agent(Arc::clone(&self.instance.name))
    }

    /// The sender of the input: the parent, or the user.
    fn asker(&self) -> Participant {
        match self.cx.parent() {
            Some(parent) => Participant::Agent(parent.agent().name().into()),
            None => Participant::User,
        }
    }

    /// Runs the hooks on a message and returns it; `None` if one of them drops it.
    async fn pass(
        &self,
        sender: &Participant,
        message: impl Into<RunInput> + Send,
        recipient: &Participant,
    ) -> Result<Option<RunInput>, RunError> {
        let Some(hooks) = &self.message_hooks else { return Ok(Some(message.into())) };
        let passed = hooks.before_send(&self.cx, sender, message, recipient, !self.shown);
        Ok(self.unless_over(pin!(passed)).await??)
    }

    fn dropped(&self, sender: Participant, recipient: Participant) -> RunError {
        RunError::MessageDropped { agent: Arc::clone(&self.instance.name), sender, recipient }
    }

    /// Runs the hooks on the input of an outermost run. The input of a child passed the hooks of its parent.
    ///
    /// # Errors
    /// Returns an error if a hook drops the input or fails, or if the run is over.
    pub(in crate::agent) async fn receive_input(&self, input: String) -> Result<String, RunError> {
        if self.cx.parent().is_some() {
            return Ok(input);
        }
        let (sender, recipient) = (Participant::User, self.participant());
        let input = self.take_attached().unwrap_or_else(|| RunInput::from(input));
        match self.pass(&sender, input, &recipient).await? {
            Some(input) => {
                self.keep_attached(&input);
                Ok(input.into_text())
            }
            None => Err(self.dropped(sender, recipient)),
        }
    }

    /// Runs the hooks that may change the messages of a request, or the state.
    ///
    /// # Errors
    /// Returns an error if a hook fails, or if the run is over.
    pub(super) async fn before_reply(&self, request: &mut ModelRequest) -> Result<(), RunError> {
        let Some(hooks) = &self.message_hooks else { return Ok(()) };
        Ok(self.unless_over(pin!(hooks.before_reply(&self.cx, &mut request.messages))).await??)
    }

    /// Runs the hooks on the model's answer, and shows it. If a hook drops a text beside calls, the text is
    /// removed.
    ///
    /// # Errors
    /// Returns an error if a hook drops an answer or fails, or if the run is over.
    pub(super) async fn send_text(
        &self,
        turn: u32,
        mut response: ModelResponse,
    ) -> Result<ModelResponse, RunError> {
        if response.text.is_empty() {
            return Ok(response);
        }
        let (sender, recipient) = (self.participant(), self.asker());
        let text = std::mem::take(&mut response.text);
        response.text = match self.pass(&sender, text, &recipient).await? {
            Some(sent) => sent.into_text(),
            None if response.tool_calls.is_empty() => return Err(self.dropped(sender, recipient)),
            None => String::new(),
        };
        if let Some(redactor) = self.cx.concealed().redactor() {
            response.text.redact(&redactor);
        }
        self.note_passed(&response.text);
        self.show_text(turn, &response.text);
        Ok(response)
    }

    /// Records a text that passed the hooks, so that it does not pass them again as the run's answer.
    pub(super) fn note_passed(&self, text: &str) {
        self.tally().passed = Some(text.into());
    }

    /// Runs the hooks on the run's answer, unless it is the last text of the model, which passed them.
    ///
    /// # Errors
    /// Returns an error if a hook drops the answer or fails, or if the run is over.
    pub(in crate::agent) async fn send_answer(&self, answer: String) -> Result<String, RunError> {
        if answer.is_empty() || self.tally().passed.as_deref() == Some(&*answer) {
            return Ok(answer);
        }
        let (sender, recipient) = (self.participant(), self.asker());
        match self.pass(&sender, answer, &recipient).await? {
            Some(answer) => Ok(answer.into_text()),
            None => Err(self.dropped(sender, recipient)),
        }
    }
}
