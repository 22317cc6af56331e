//! A model without structured output.

use onionskin::ScriptedModel;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};

/// A model without structured output: its typed answers are calls.
pub struct ByCall(pub ScriptedModel);

impl Model for ByCall {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.0.respond(request, deltas).await
    }
}
