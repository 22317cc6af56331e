//! A type-erased model.

use std::any::{self, Any};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};
use onionskin_definitions::content::ContentBlock;

/// A type-erased [`Model`], for example to choose a model at run time. It is a [`Model`] itself. Clones share
/// the model.
///
/// ```
/// use onionskin::model::BoxModel;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// # use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
/// # struct Local;
/// # impl Model for Local {
/// #     async fn respond(&self, _: &ModelRequest, _: &mut (dyn FnMut(ModelDelta) + Send)) -> Result<ModelResponse, ModelError> {
/// #         Ok(ModelResponse::text("hi"))
/// #     }
/// # }
///
/// agent! { Clerk { instruction: "Be brief." } }
///
/// fn model(offline: bool) -> BoxModel {
///     if offline {
///         BoxModel::new(ScriptedModel::turns([ScriptedTurn::say("Hello.")]))
///     } else {
///         BoxModel::new(Local)
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let output = Clerk::builder().model(model(true)).run("Hi.").await.unwrap();
/// assert_eq!(output.text, "Hello.");
/// # });
/// ```
#[derive(Clone)]
pub struct BoxModel(Arc<dyn DynModel>);

impl BoxModel {
    /// Erases the type of a model. A `BoxModel` is returned unchanged.
    pub fn new<M: Model>(model: M) -> Self {
        match (&model as &dyn Any).downcast_ref::<Self>() {
            Some(boxed) => boxed.clone(),
            None => Self(Arc::new(model)),
        }
    }
}

impl Model for BoxModel {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.0.respond_dyn(request, deltas).await
    }

    fn provider(&self) -> Cow<'static, str> {
        self.0.provider_dyn()
    }

    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        self.0.identity_dyn(requested)
    }

    fn instructions(&self) -> Option<Cow<'static, str>> {
        self.0.instructions_dyn()
    }

    fn system_message(&self) -> Option<Cow<'static, str>> {
        self.0.system_message_dyn()
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.0.supports_dyn(option)
    }

    fn reads(&self, content: &ContentBlock) -> bool {
        self.0.reads_dyn(content)
    }

    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        self.0.response_schema_dyn(request, schema)
    }

    fn can_force_call(&self, request: &ModelRequest) -> bool {
        self.0.can_force_call_dyn(request)
    }
}

/// Shows the model's type, without running its code.
impl fmt::Debug for BoxModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoxModel").field(&self.0.type_name()).finish()
    }
}

/// A [`Model`] as a trait object.
trait DynModel: Send + Sync {
    fn respond_dyn<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(ModelDelta) + Send),
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;

    fn provider_dyn(&self) -> Cow<'static, str>;

    fn identity_dyn(&self, requested: Option<&str>) -> ModelIdentity;

    fn instructions_dyn(&self) -> Option<Cow<'static, str>>;

    fn system_message_dyn(&self) -> Option<Cow<'static, str>>;

    fn supports_dyn(&self, option: RequestOption) -> bool;

    fn reads_dyn(&self, content: &ContentBlock) -> bool;

    fn response_schema_dyn(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema>;

    fn can_force_call_dyn(&self, request: &ModelRequest) -> bool;

    fn type_name(&self) -> &'static str;
}

impl<M: Model> DynModel for M {
    fn respond_dyn<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(ModelDelta) + Send),
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(self.respond(request, deltas))
    }

    fn provider_dyn(&self) -> Cow<'static, str> {
        self.provider()
    }

    fn identity_dyn(&self, requested: Option<&str>) -> ModelIdentity {
        self.identity(requested)
    }

    fn instructions_dyn(&self) -> Option<Cow<'static, str>> {
        self.instructions()
    }

    fn system_message_dyn(&self) -> Option<Cow<'static, str>> {
        self.system_message()
    }

    fn supports_dyn(&self, option: RequestOption) -> bool {
        self.supports(option)
    }

    fn reads_dyn(&self, content: &ContentBlock) -> bool {
        self.reads(content)
    }

    fn response_schema_dyn(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        self.response_schema(request, schema)
    }

    fn can_force_call_dyn(&self, request: &ModelRequest) -> bool {
        self.can_force_call(request)
    }

    fn type_name(&self) -> &'static str {
        any::type_name::<M>()
    }
}
