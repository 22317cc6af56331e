//! The result of a call for the run and its events.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use super::{CallOutcome, EventKind, HookExit};
use crate::model::{ToolCall, ToolResultMessage};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::error::{ErrorKind, Exit, ToolResult};
use onionskin_definitions::output::{StructuredContent, ToolOutput};

/// The result of a call, as the run needs it. The end event takes the parts that only events need.
pub struct CallResult {
    /// How the call ended.
    pub outcome: CallOutcome,
    /// The content for the model.
    pub content: Arc<[ContentBlock]>,
    /// The structured value.
    pub structured: StructuredContent,
    pub(crate) error_chain: Vec<String>,
}

impl CallResult {
    /// The result for the model.
    pub fn message(&self, call: &ToolCall) -> ToolResultMessage {
        let is_error = matches!(self.outcome, CallOutcome::Error(_) | CallOutcome::Abort);
        let (call_id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
        ToolResultMessage { call_id, name, content: Arc::clone(&self.content), is_error }
    }

    /// Replaces what the model reads.
    pub fn replace(&mut self, content: Arc<[ContentBlock]>, is_error: bool) {
        self.content = content;
        let was_error = matches!(self.outcome, CallOutcome::Error(_) | CallOutcome::Abort);
        if is_error && !was_error {
            self.outcome = CallOutcome::Error(ErrorKind::Failed);
        } else if was_error && !is_error {
            self.outcome = CallOutcome::Ok;
        }
    }

    /// Creates the end event of the call. It takes the structured value and the error chain out of the
    /// result.
    pub fn finished(
        &mut self,
        call_id: Arc<str>,
        tool: Arc<str>,
        duration: Duration,
        attempts: u32,
        hook_exits: Vec<HookExit>,
    ) -> EventKind {
        EventKind::ToolFinished {
            call_id,
            tool,
            outcome: self.outcome,
            content: Arc::clone(&self.content),
            duration,
            attempts,
            structured: std::mem::take(&mut self.structured),
            hook_exits,
            error_chain: std::mem::take(&mut self.error_chain),
        }
    }

    /// The result of a call that waits for a person's answer.
    pub fn paused() -> Self {
        Self { outcome: CallOutcome::Paused, ..Self::new(Ok(ToolOutput::text(""))) }
    }

    /// Creates the result of a call from the returned value.
    pub fn new(result: ToolResult) -> Self {
        let outcome = CallOutcome::from_result(&result);
        let error_chain = match &result {
            Err(exit @ (Exit::Tool(_) | Exit::Abort(_))) => error_chain(exit),
            _ => Vec::new(),
        };
        let output = match result {
            Ok(output) => output,
            // A hook may have removed its text.
            Err(Exit::Tool(mut error)) => {
                error.give_reason();
                error.output().clone()
            }
            Err(Exit::Stop(stop)) => stop.into_output(),
            Err(Exit::Abort(abort)) => ToolOutput::text(format!("the run was aborted: {}", abort.reason())),
        };
        Self { outcome, structured: output.structured_place(), content: output.into_content(), error_chain }
    }
}

/// The text of an exit and of its causes, outermost first.
pub(crate) fn error_chain(exit: &Exit) -> Vec<String> {
    let mut chain = vec![exit.to_string()];
    let mut source = exit.as_tool_error().and_then(Error::source);
    while let Some(error) = source {
        let text = error.to_string();
        // A tool error that wraps another one has the same text.
        if chain.last() != Some(&text) {
            chain.push(text);
        }
        source = error.source();
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use onionskin_definitions::content::{Image, Media};
    use onionskin_definitions::error::ToolError;

    #[test]
    fn t3_an_error_is_never_without_a_text() {
        let picture = || ContentBlock::from(Image(Media::new("aGk=", "image/png")));
        let mut emptied = ToolError::new("no");
        emptied.output_mut().content_only_mut().clear();
        let said = "the tool failed and gave no reason";
        for error in [
            ToolError::new(""),
            ToolError::retry(" \n"),
            ToolError::denied(""),
            ToolError::from_output(ErrorKind::Remote, ToolOutput::empty()),
            ToolError::from_output(ErrorKind::Remote, vec![picture()]),
            emptied,
        ] {
            let result = CallResult::new(Err(Exit::Tool(error)));
            assert_eq!(ContentBlock::join(&result.content), said);
        }
        let kept = CallResult::new(Err(Exit::Tool(ToolError::from_output(
            ErrorKind::Remote,
            vec![picture(), ContentBlock::Text("why".to_owned())],
        ))));
        assert_eq!((kept.content.len(), &*ContentBlock::join(&kept.content)), (2, "why"));
    }
}
