//! [`Dictated`] is a model that makes the calls in the lines of its input.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use onionskin_core::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall, Usage,
};

/// A model that follows dictation: each line of the input is a tool's name and its arguments, and a turn makes one call. After
/// the last line, the answer is the results.
#[derive(Debug, Default)]
pub struct Dictated {
    requests: AtomicU64,
}

impl Dictated {
    /// How often it was asked.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }
}

impl Model for Dictated {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let is_input = |message: &&Message| matches!(message, Message::User { .. });
        let input = request.messages.iter().rfind(is_input);
        let input = input.map(|message| message.to_text().into_owned()).unwrap_or_default();
        let since = request.messages.iter().rev().take_while(|message| !is_input(message));
        let mut results: Vec<_> = since.filter(|message| matches!(message, Message::Tool { .. })).collect();
        results.reverse();

        let mut response = match input.lines().nth(results.len()) {
            Some(line) => {
                let (tool, arguments) = line
                    .split_once(' ')
                    .ok_or_else(|| ModelError::Malformed(format!("`{line}` has no arguments")))?;
                let id = format!("call-{}", results.len() + 1);
                ModelResponse::tool_calls([ToolCall::new(id, tool, arguments)])
            }
            None => {
                let lines: Vec<_> = results.iter().map(|message| message.to_text()).collect();
                let text = lines.join("\n");
                deltas(ModelDelta::Text(text.clone()));
                ModelResponse::text(text)
            }
        };
        let words = request.messages.iter().map(|message| message.to_text().split_whitespace().count());
        let (read, written) = (words.sum::<usize>(), response.text.split_whitespace().count());
        response.usage =
            Usage::new(read.try_into().unwrap_or(u64::MAX), written.try_into().unwrap_or(u64::MAX));
        Ok(response)
    }

    fn provider(&self) -> Cow<'static, str> {
        Cow::Borrowed("dictation")
    }
}
