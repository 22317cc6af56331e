//! A model that answers with a function.

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};

struct Answers<F>(F);

impl<F> Model for Answers<F>
where
    F: Fn(&ModelRequest, &mut (dyn FnMut(ModelDelta) + Send)) -> Result<ModelResponse, ModelError>,
    F: Send + Sync + 'static,
{
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        (self.0)(request, deltas)
    }
}

/// A model without a script: the function gets each request, and passes on the pieces of its answer.
pub(crate) fn answers(
    answer: impl Fn(&ModelRequest, &mut (dyn FnMut(ModelDelta) + Send)) -> Result<ModelResponse, ModelError>
    + Send
    + Sync
    + 'static,
) -> impl Model {
    Answers(answer)
}
