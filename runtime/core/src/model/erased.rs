//! A model whose type is chosen at run time.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption};

/// A model of any type, chosen at run time. It is a [`Model`] itself. Clones are the same model.
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

    fn supports(&self, option: RequestOption) -> bool {
        self.0.supports_dyn(option)
    }
}

impl fmt::Debug for BoxModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoxModel").field(&self.provider()).finish()
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

    fn supports_dyn(&self, option: RequestOption) -> bool;
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

    fn supports_dyn(&self, option: RequestOption) -> bool {
        self.supports(option)
    }
}
