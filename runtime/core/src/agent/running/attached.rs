//! The attachments of a run's input, from the request to the conversation.

use onionskin_tools::model::{History, Message, Model as _, ModelError};

use crate::agent::error::run_error::RunError;
use crate::run_hook::RunInput;

use super::run::AgentRun;

impl AgentRun {
    /// Returns the user's message with this text, and with the attachments of the run's input if no message
    /// has them yet. [`converse`](Self::converse) begins with such a message.
    ///
    /// ```
    /// use onionskin::RunError;
    /// use onionskin::run::AgentRun;
    ///
    /// /// Asks once, without tools.
    /// async fn once(run: &AgentRun, input: String) -> Result<String, RunError> {
    ///     run.append(run.user_message(input))?;
    ///     Ok(run.ask().without_tools().await?.text)
    /// }
    /// # let _ = once;
    /// ```
    pub fn user_message(&self, text: impl Into<String>) -> Message {
        let text = text.into();
        match self.take_attached() {
            None => Message::user(text),
            Some(mut input) => {
                input.set_text(text);
                Message::user_content(input.into_parts())
            }
        }
    }

    pub(in crate::agent) fn keep_attached(&self, input: &RunInput) {
        if input.attachments().next().is_some() {
            self.tally().attached = Some(Box::new(input.clone()));
        }
    }

    pub(super) fn take_attached(&self) -> Option<RunInput> {
        self.tally().attached.take().map(|input| *input)
    }

    /// Fails if the model does not support a part of the input.
    pub(in crate::agent) fn check_attached(&self) -> Result<(), RunError> {
        let Some(input) = self.tally().attached.clone() else { return Ok(()) };
        let unread = input.attachments().find(|part| !self.model().reads(part));
        unread.map_or(Ok(()), |part| Err(self.model_error(ModelError::unread_content(part))))
    }

    /// Fails if the model does not support a part of the user's messages in this conversation, for example
    /// from turns of another model. Messages of an earlier turn are checked again only if hooks may have
    /// changed them.
    pub(super) fn check_read(&self, messages: &History) -> Result<(), RunError> {
        let may_differ = self.has_turn_hooks() || self.message_hooks.is_some();
        let read = std::mem::replace(&mut self.tally().read, messages.len());
        let read = if may_differ || read > messages.len() { 0 } else { read };
        let unread = (read..messages.len()).find_map(|index| match messages.get(index) {
            Some(Message::User { content, .. }) => content.iter().find(|part| !self.model().reads(part)),
            _ => None,
        });
        unread.map_or(Ok(()), |part| Err(self.model_error(ModelError::unread_content(part))))
    }
}
