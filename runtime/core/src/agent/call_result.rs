//! The result of a call, as the run and its events need it.

use std::sync::Arc;

use crate::event::CallOutcome;
use crate::model::{ToolCall, ToolResultMessage};
use crate::spec::error_chain;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::output::{StructuredContent, ToolOutput};

/// The part of a call's result that the run needs, and until its end is reported, the rest of it.
pub(super) struct CallResult {
    pub(super) outcome: CallOutcome,
    /// The content for the model.
    pub(super) content: Arc<[ContentBlock]>,
    pub(super) structured: StructuredContent,
    pub(super) error_chain: Vec<String>,
}

impl CallResult {
    /// The result for the model.
    pub(super) fn message(&self, call: &ToolCall) -> ToolResultMessage {
        let is_error = matches!(self.outcome, CallOutcome::Error(_) | CallOutcome::Abort);
        let (call_id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
        ToolResultMessage { call_id, name, content: Arc::clone(&self.content), is_error }
    }

    /// The end of a call that waits for an answer of a person.
    pub(super) fn paused() -> Self {
        Self { outcome: CallOutcome::Paused, ..Self::new(Ok(ToolOutput::text(""))) }
    }

    pub(super) fn new(result: ToolResult) -> Self {
        let outcome = CallOutcome::of(&result);
        let error_chain = match &result {
            Err(exit @ (Exit::Tool(_) | Exit::Abort(_))) => error_chain(exit),
            _ => Vec::new(),
        };
        let output = match result {
            Ok(output) => output,
            // A hook may have taken its text away.
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

#[cfg(test)]
mod tests {
    use super::*;
    use onionskin_definitions::content::{Image, Media};
    use onionskin_definitions::error::{ErrorKind, ToolError};

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
