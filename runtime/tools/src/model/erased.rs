//! Models behind a pointer: shared, or with their types erased.

use std::any::{self, Any};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};
use onionskin_definitions::content::ContentBlock;

/// The methods of a model that forwards all but the answer to another one.
macro_rules! forward {
    ($this:ident => $model:expr) => {
        fn provider(&$this) -> Cow<'static, str> {
            ($model).provider()
        }

        fn identity(&$this, requested: Option<&str>) -> ModelIdentity {
            ($model).identity(requested)
        }

        fn check(&$this, requested: Option<&str>) -> Result<(), ModelError> {
            ($model).check(requested)
        }

        fn instructions(&$this) -> Option<Cow<'static, str>> {
            ($model).instructions()
        }

        fn system_message(&$this) -> Option<Cow<'static, str>> {
            ($model).system_message()
        }

        fn supports(&$this, option: RequestOption) -> bool {
            ($model).supports(option)
        }

        fn check_option(&$this, requested: Option<&str>, option: RequestOption) -> Result<(), ModelError> {
            ($model).check_option(requested, option)
        }

        fn reads(&$this, content: &ContentBlock) -> bool {
            ($model).reads(content)
        }

        fn response_schema(&$this, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
            ($model).response_schema(request, schema)
        }

        fn can_force_call(&$this, request: &ModelRequest) -> bool {
            ($model).can_force_call(request)
        }
    };
}

impl<M: Model> Model for Arc<M> {
    fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> impl Future<Output = Result<ModelResponse, ModelError>> + Send {
        (**self).respond(request, deltas)
    }

    forward!(self => **self);
}

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

    forward!(self => *self.0);
}

/// Shows the model's type, without running its code.
impl fmt::Debug for BoxModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoxModel").field(&self.0.type_name()).finish()
    }
}

/// A [`Model`] as a trait object.
trait DynModel: Model {
    fn respond_dyn<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(ModelDelta) + Send),
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;

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

    fn type_name(&self) -> &'static str {
        any::type_name::<M>()
    }
}
