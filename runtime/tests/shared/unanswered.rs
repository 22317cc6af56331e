//! A model whose requests end without an answer.

use std::future::pending;

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Usage};

/// Reports 1,000 tokens and never answers.
pub struct Reports;

impl Model for Reports {
    async fn respond(
        &self,
        _: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        deltas(ModelDelta::Usage(Usage::new(1_000, 0)));
        pending().await
    }
}
