//! Several models of which one answers: what can be asked of all of them.

use std::borrow::Cow;

use onionskin_core::content::ContentBlock;
use onionskin_core::model::{
    BoxModel, Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption,
    ResponseSchema,
};

use crate::origin;

/// Models of which each may answer any request. The first one is the usual one.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    first: BoxModel,
    others: Vec<BoxModel>,
}

impl Candidates {
    pub(crate) fn new(first: impl Model) -> Self {
        Self { first: BoxModel::new(first), others: Vec::new() }
    }

    pub(crate) fn push(&mut self, model: impl Model) {
        self.others.push(BoxModel::new(model));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &BoxModel> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub(crate) fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        self.iter().try_for_each(|model| model.check(requested))
    }

    pub(crate) fn provider(&self) -> Cow<'static, str> {
        self.first.provider()
    }

    pub(crate) fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        self.first.identity(requested)
    }

    pub(crate) fn instructions(&self) -> Option<Cow<'static, str>> {
        self.first.instructions()
    }

    pub(crate) fn system_message(&self) -> Option<Cow<'static, str>> {
        self.first.system_message()
    }

    pub(crate) fn supports(&self, option: RequestOption) -> bool {
        self.iter().all(|model| model.supports(option))
    }

    pub(crate) fn check_option(
        &self,
        requested: Option<&str>,
        option: RequestOption,
    ) -> Result<(), ModelError> {
        self.iter().try_for_each(|model| model.check_option(requested, option))
    }

    pub(crate) fn reads(&self, content: &ContentBlock) -> bool {
        self.iter().all(|model| model.reads(content))
    }

    /// The schema that all models take. Where their rules differ, the answer is requested as a call, which all of them take.
    pub(crate) fn response_schema(
        &self,
        request: &ModelRequest,
        schema: &ResponseSchema,
    ) -> Option<ResponseSchema> {
        let first = self.first.response_schema(request, schema)?;
        let is_same = |model: &BoxModel| model.response_schema(request, schema).as_ref() == Some(&first);
        self.others.iter().all(is_same).then_some(first)
    }

    pub(crate) fn can_force_call(&self, request: &ModelRequest) -> bool {
        self.iter().all(|model| model.can_force_call(request))
    }
}

/// Asks one of several models. Its answer names the model, and its provider's data are kept from the others.
pub(crate) async fn ask(
    model: &BoxModel,
    request: &ModelRequest,
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<ModelResponse, ModelError> {
    let identity = model.identity(request.model.as_deref());
    let request = origin::for_provider(request, identity.provider());
    let mut response = model.respond(&request, deltas).await?;
    origin::mark(&mut response, identity.provider())
        .map_err(|error| ModelError::malformed(error.to_string()))?;
    if response.model.is_none() {
        response.model = identity.model().map(str::to_owned);
    }
    if response.billed_as.is_none() {
        response.billed_as = Some(identity.model().unwrap_or(identity.provider()).to_owned());
    }
    Ok(response)
}
