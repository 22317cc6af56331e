//! A model whose abilities and answers a test chooses.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use onionskin::content::ContentBlock;
use onionskin::model::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};
use onionskin::{ScriptedModel, export::Dialect};

use super::support::{Answered, Prepared};

/// Plays prepared results and keeps the requests. Clones are one model.
#[derive(Clone)]
pub(crate) struct Fake {
    identity: ModelIdentity,
    results: Arc<Prepared>,
    requests: Arc<Mutex<Vec<ModelRequest>>>,
    pub(crate) options: Vec<RequestOption>,
    pub(crate) reads_all: bool,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) check: Result<(), ModelError>,
}

impl Fake {
    pub(crate) fn new(provider: &str, results: impl IntoIterator<Item = Answered>) -> Self {
        Self {
            identity: ModelIdentity::new(provider.to_owned(), Some(&format!("{provider}-1"))),
            results: Arc::new(Prepared::new(results)),
            requests: Arc::default(),
            options: Vec::new(),
            reads_all: false,
            dialect: None,
            check: Ok(()),
        }
    }

    /// A model that answers so often with its provider's name.
    pub(crate) fn says(provider: &str, times: usize) -> Self {
        Self::new(provider, std::iter::repeat_n((vec![], Ok(ModelResponse::text(provider))), times))
    }

    /// A model that fails once.
    pub(crate) fn fails(provider: &str, error: ModelError) -> Self {
        Self::new(provider, [(vec![], Err(error))])
    }

    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Model for Fake {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        self.results.respond(request, deltas).await
    }

    fn provider(&self) -> Cow<'static, str> {
        self.identity.provider().to_owned().into()
    }

    fn identity(&self, _: Option<&str>) -> ModelIdentity {
        self.identity.clone()
    }

    fn check(&self, _: Option<&str>) -> Result<(), ModelError> {
        self.check.clone()
    }

    fn instructions(&self) -> Option<Cow<'static, str>> {
        Some(format!("instructions of {}", self.identity.provider()).into())
    }

    fn system_message(&self) -> Option<Cow<'static, str>> {
        Some(format!("message of {}", self.identity.provider()).into())
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.options.contains(&option)
    }

    fn reads(&self, content: &ContentBlock) -> bool {
        self.reads_all || ScriptedModel::new().reads(content) && content.as_text().is_some()
    }

    fn response_schema(&self, _: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        schema.in_dialect(self.dialect.as_ref()?).ok()
    }
}
