//! What the parts of a stream say about a request.

use onionskin_core::model::{ModelDelta, Usage};

/// Whether this is a piece of the answer. A count of tokens is none.
pub(crate) fn is_piece(delta: &ModelDelta) -> bool {
    match delta {
        ModelDelta::Text(_) | ModelDelta::Reasoning(_) | ModelDelta::ToolCall(_) => true,
        ModelDelta::Usage(_) => false,
    }
}

/// The sign of a request that waits in a line of the program, before its model is asked. No model that was asked passes on a count of zero
/// ([`ModelDelta::Usage`]), so a provider cannot send the sign.
pub(crate) fn waiting() -> ModelDelta {
    ModelDelta::Usage(Usage::default())
}
