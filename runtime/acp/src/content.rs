//! Content of the protocol, and of messages and results. Both have MCP's JSON.

use agent_client_protocol::v1::schema;
use agent_client_protocol::{Error, ErrorCode};
use onionskin_core::content::ContentBlock;
use onionskin_core::run_hooks::RunInput;

/// The input of a run.
///
/// # Errors
/// Returns the protocol's error if a part cannot be read.
pub(crate) fn input(prompt: &[schema::ContentBlock]) -> Result<RunInput, Error> {
    let read = |block: &schema::ContentBlock| {
        let block = serde_json::to_value(block).and_then(serde_json::from_value::<ContentBlock>);
        let block =
            block.map_err(|error| invalid(format!("a part of the prompt cannot be read: {error}")))?;
        if block.is_valid() {
            Ok(block)
        } else {
            Err(invalid("a part of the prompt has data that are not base64"))
        }
    };
    Ok(prompt.iter().map(read).collect::<Result<Vec<_>, _>>()?.into())
}

pub(crate) fn invalid(reason: impl Into<String>) -> Error {
    Error::new(ErrorCode::INVALID_PARAMS, reason)
}

/// The block in the protocol's type.
pub(crate) fn block(block: &ContentBlock) -> schema::ContentBlock {
    let block = serde_json::to_value(block).and_then(serde_json::from_value);
    block.unwrap_or_else(|error| text(format!("(content that cannot be shown: {error})")))
}

pub(crate) fn text(text: impl Into<String>) -> schema::ContentBlock {
    schema::ContentBlock::Text(schema::TextContent::new(text))
}

/// Blocks as the content of a call.
pub(crate) fn call_content<'b>(
    blocks: impl IntoIterator<Item = &'b ContentBlock>,
) -> Vec<schema::ToolCallContent> {
    blocks.into_iter().map(|shown| block(shown).into()).collect()
}

/// A text as the content of a call.
pub(crate) fn call_text(shown: impl Into<String>) -> Vec<schema::ToolCallContent> {
    vec![text(shown).into()]
}
