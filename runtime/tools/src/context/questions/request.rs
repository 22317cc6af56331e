//! Questions of another program that takes part in a call, such as a server.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::Open;
use super::ask::ExpectedAnswer;
use crate::context::ToolContext;
use crate::journal::{StepKind, fingerprint};
use crate::question::{AskError, QuestionKind};
use onionskin_definitions::definition::Effect;
use onionskin_definitions::schema::mistake;

/// The digits of a hash in the name of a step.
const DIGITS: usize = 12;

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// As [`Self::ask_json`], for a request of another program, which waits for the answer. Text and schema name the question, so a program
    /// that is called again may ask something else.
    ///
    /// If nobody answers now, `before_pause` runs, and then the run pauses. Without it, the call goes on with
    /// [`AskError::NoAnswerer`], which does not end the run.
    ///
    /// # Errors
    /// As [`Self::ask_json`].
    pub async fn ask_for_request(
        &self,
        text: String,
        schema: Value,
        before_pause: Option<Box<dyn FnOnce() + Send + '_>>,
    ) -> Result<Value, AskError> {
        if let Some(problem) = mistake(&schema) {
            return Err(AskError::Schema { tool: self.tool_name().into(), problem });
        }
        let name = fingerprint(&(&text, &schema));
        let open = before_pause.map_or(Open::GoesOn, Open::WaitsAfter);
        let wanted = ExpectedAnswer::open(schema, open);
        self.ask_value(QuestionKind::Question, Some(&name[..DIGITS]), Some(text), wanted).await
    }

    /// Does what leads to a question, as a step: a call that is resumed gets the recorded result. `request` says what is done. Errors are
    /// not recorded.
    ///
    /// # Errors
    /// Returns the error of the work.
    pub async fn before_question<T, E, F, Fut>(
        &self,
        request: &(impl Serialize + Sync),
        work: F,
    ) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        E: Send,
        F: FnOnce() -> Fut + Send,
        Fut: Future<Output = Result<T, E>> + Send,
    {
        let hash = fingerprint(request);
        let mut id = self.step_id(StepKind::Ask);
        let place = if self.is_in_step() { "tool." } else { "" };
        id.name = format!("{}.{place}before.{}", id.name, &hash[..DIGITS]).into();
        self.run().step(id, || (Effect::Pure, hash), work).await
    }
}
