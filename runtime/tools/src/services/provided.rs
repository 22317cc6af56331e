//! Services as parameters of tools and hooks.

use std::any::type_name;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use onionskin_definitions::requirements::ServiceType;

/// A service: a value of the program that tools, hooks and guardrails take by its type `T`. The model never
/// sees it.
///
/// The program provides it for all sessions with `AgentBuilder::provide`, or for one run with
/// `RunRequest::provide`. `provide_shared` takes an [`Arc`], also of a trait object: a function then takes
/// `Provided<dyn Clock>`. A parameter `Option<Provided<T>>` is `None` if there is no such service.
///
/// Clones share the value. A mutable value needs a lock or an atomic. `Debug` shows the type only. The
/// runtime does not search services for secrets: register them with `conceal`.
///
/// ```
/// use onionskin::{Provided, ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
///
/// struct Prices {
///     cents: u64,
/// }
///
/// /// Tells the price of a number of lamps.
/// #[tool]
/// fn price(lamps: u64, prices: Provided<Prices>) -> u64 {
///     lamps * prices.cents
/// }
///
/// agent! { Clerk { instruction: "Sell.", function_tools: [price] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("price", json!({ "lamps": 2 })), ScriptedTurn::say("{last}")]);
/// let clerk = Clerk::builder().model(model).provide(Prices { cents: 250 });
/// assert_eq!(clerk.run("Two lamps?").await.unwrap().text, "500");
/// # });
///
/// // A unit test calls the function with a value.
/// assert_eq!(price(3, Provided::new(Prices { cents: 100 })), 300);
/// ```
pub struct Provided<T: ?Sized>(Arc<T>);

impl<T> Provided<T> {
    /// Wraps a value, to call a function in a unit test.
    pub fn new(service: T) -> Self {
        Self(Arc::new(service))
    }
}

impl<T: ?Sized> Provided<T> {
    /// Returns the shared service, for code that outlives the call.
    #[must_use]
    pub fn into_shared(self) -> Arc<T> {
        self.0
    }
}

impl<T: ?Sized> From<Arc<T>> for Provided<T> {
    fn from(service: Arc<T>) -> Self {
        Self(service)
    }
}

impl<T: ?Sized> Deref for Provided<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> Clone for Provided<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Shows the type only, because a service can contain secrets.
impl<T: ?Sized> fmt::Debug for Provided<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Provided<{}>", type_name::<T>())
    }
}

/// A service that a call takes was not provided.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{who} has no service `{}`: provide it with `{}` {place}", .service.name(), .service.call())]
pub struct ServiceError {
    who: String,
    service: ServiceType,
    place: &'static str,
}

impl ServiceError {
    #[cold]
    pub(crate) fn for_agent(agent: &str, service: ServiceType) -> Self {
        let place = "of the agent's builder, or of the request, and declare it in the code that takes it: `takes_service` of \
                     a `ToolDefinition`, a `ToolSpec` or an `AgentDeclaration`, `services` of a hook, a guardrail or an \
                     `Inject`; a wrapper forwards `services`";
        Self { who: format!("the agent `{agent}`"), service, place }
    }

    #[cold]
    pub(crate) fn for_tool(tool: &str, service: ServiceType) -> Self {
        let place = "of its `ToolSpec` or of the `ToolCaller`, in a test also of `testing::context`";
        Self { who: format!("the tool `{tool}`, called without an agent,"), service, place }
    }

    /// The type of the service.
    pub fn service(&self) -> ServiceType {
        self.service
    }
}
