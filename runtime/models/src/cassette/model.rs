//! The model of a test with a recording.

use std::borrow::Cow;
use std::future;
use std::sync::Arc;

use onionskin_core::content::ContentBlock;
use onionskin_core::model::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};

use super::entry::Outcome;
use super::tape::{Begun, Tape};

/// The model that [`Cassette::run`](super::Cassette::run) gives a test. Clones share the recording.
///
/// A request that was not recorded is a mistake in the test: as a fault in a script, it ends the run and all runs above it.
#[derive(Debug)]
pub struct CassetteModel<M> {
    model: Arc<M>,
    tape: Arc<Tape>,
}

impl<M> Clone for CassetteModel<M> {
    fn clone(&self) -> Self {
        Self { model: Arc::clone(&self.model), tape: Arc::clone(&self.tape) }
    }
}

impl<M> CassetteModel<M> {
    pub(super) fn new(model: M, tape: Arc<Tape>) -> Self {
        Self { model: Arc::new(model), tape }
    }
}

impl<M: Model> Model for CassetteModel<M> {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let entry = match self.tape.begin(request)? {
            Begun::Recorded(recorder) => {
                let mut record = |delta| {
                    recorder.push(&delta);
                    deltas(delta);
                };
                let result = self.model.respond(request, &mut record).await;
                recorder.end(&result)?;
                return result;
            }
            Begun::Played(entry) => entry,
        };
        entry.stream.into_iter().for_each(deltas);
        match entry.outcome {
            Outcome::Answer(answer) => Ok(*answer),
            Outcome::Error(error) => Err(error),
            // The run drops the request again.
            Outcome::Cancelled => future::pending().await,
        }
    }

    fn provider(&self) -> Cow<'static, str> {
        self.model.provider()
    }

    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        self.model.identity(requested)
    }

    /// A replay does not ask the model, so it needs no key.
    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        if self.tape.is_recording() { self.model.check(requested) } else { Ok(()) }
    }

    fn instructions(&self) -> Option<Cow<'static, str>> {
        self.model.instructions()
    }

    fn system_message(&self) -> Option<Cow<'static, str>> {
        self.model.system_message()
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.model.supports(option)
    }

    fn check_option(&self, requested: Option<&str>, option: RequestOption) -> Result<(), ModelError> {
        self.model.check_option(requested, option)
    }

    fn reads(&self, content: &ContentBlock) -> bool {
        self.model.reads(content)
    }

    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        self.model.response_schema(request, schema)
    }

    fn can_force_call(&self, request: &ModelRequest) -> bool {
        self.model.can_force_call(request)
    }
}
