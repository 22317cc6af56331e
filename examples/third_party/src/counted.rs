//! `Counted` wraps any other model.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use onionskin_core::content::ContentBlock;
use onionskin_core::model::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};

/// Another model. It counts the tokens of its answers.
#[derive(Debug)]
pub struct Counted<M> {
    model: M,
    tokens: AtomicU64,
}

impl<M: Model> Counted<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        Self { model, tokens: AtomicU64::new(0) }
    }

    /// The tokens of all answers so far.
    pub fn tokens(&self) -> u64 {
        self.tokens.load(Ordering::Relaxed)
    }
}

/// A wrapper forwards all methods: a default would hide what the model can do.
impl<M: Model> Model for Counted<M> {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let response = self.model.respond(request, deltas).await?;
        self.tokens.fetch_add(response.usage.total(), Ordering::Relaxed);
        Ok(response)
    }

    fn provider(&self) -> Cow<'static, str> {
        self.model.provider()
    }

    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        self.model.identity(requested)
    }

    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        self.model.check(requested)
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
