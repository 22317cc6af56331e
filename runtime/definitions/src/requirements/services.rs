//! Types of services.

use std::any::{TypeId, type_name};

use super::state::StateType;

/// A type that can be a service, because several threads can share it.
///
/// Programs do not implement it: all types with these bounds have it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a service",
    label = "calls on all threads share a service, and they cannot share this",
    note = "a service must be `Send` and `Sync` and borrow nothing: take `Arc` in place of `Rc`, and a `Mutex` or an atomic in place \
            of a `RefCell` or a `Cell`"
)]
pub trait Service: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> Service for T {}

/// The type `T` of a service `Provided<T>`, as a value.
///
/// ```
/// use onionskin::services::ServiceType;
///
/// trait Clock {}
///
/// assert_eq!(ServiceType::new::<dyn Clock>(), ServiceType::new::<dyn Clock>());
/// assert!(ServiceType::new::<dyn Clock>().name().ends_with("Clock"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ServiceType {
    id: TypeId,
    name: &'static str,
    is_sized: bool,
}

impl ServiceType {
    /// The type `T`.
    pub fn new<T: ?Sized + 'static>() -> Self {
        let is_sized = size_of::<&T>() == size_of::<usize>();
        Self { id: TypeId::of::<T>(), name: without_modules(type_name::<T>()), is_sized }
    }

    /// The name of the type, for people.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The call that provides it.
    pub fn call(&self) -> &'static str {
        if self.is_sized { ".provide(..)" } else { ".provide_shared(..)" }
    }
}

/// The modules of our own crates are private, so no program can write the path of a type in them.
fn without_modules(name: &'static str) -> &'static str {
    let is_ours = name.starts_with("onionskin_") && !name.contains('<');
    if is_ours { name.rsplit("::").next().unwrap_or(name) } else { name }
}

/// The services and agent states that a tool, a hook or a guardrail takes.
///
/// ```
/// use onionskin::services::{ServiceType, ServiceTypes};
///
/// struct Pool;
/// struct Cache;
///
/// let mut services = ServiceTypes::default();
/// services.add::<Pool>();
/// services.add_optional::<Cache>();
/// assert_eq!(services.required().collect::<Vec<_>>(), [ServiceType::new::<Pool>()]);
/// assert_eq!(services.all().count(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceTypes {
    services: Vec<ServiceUse>,
    states: Vec<StateType>,
    requires_approval: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ServiceUse {
    service: ServiceType,
    is_required: bool,
}

impl ServiceTypes {
    /// Adds a required service.
    pub fn add<T: ?Sized + 'static>(&mut self) {
        self.insert(ServiceUse { service: ServiceType::new::<T>(), is_required: true });
    }

    /// Adds an optional service.
    pub fn add_optional<T: ?Sized + 'static>(&mut self) {
        self.insert(ServiceUse { service: ServiceType::new::<T>(), is_required: false });
    }

    /// Adds an agent state of this type. Building an agent with another state fails
    /// (`BuildError::OtherState`).
    ///
    /// ```
    /// use onionskin::services::ServiceTypes;
    /// use onionskin::{BuildError, Exit, Inject, ScriptedModel, State, ToolContext, agent, tool};
    ///
    /// #[derive(Clone)]
    /// struct Ledger {
    ///     owner: String,
    /// }
    ///
    /// /// Who owns the ledger of the agent.
    /// struct Owner(String);
    ///
    /// impl<'a> Inject<'a> for Owner {
    ///     fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
    ///         Ok(Self(State::<Ledger>::inject(cx)?.owner.clone()))
    ///     }
    ///
    ///     fn services(taken: &mut ServiceTypes) {
    ///         taken.add_state::<Ledger>();
    ///     }
    /// }
    ///
    /// /// Tells whose ledger it is.
    /// #[tool]
    /// fn owner(#[inject] owner: Owner) -> String {
    ///     owner.0
    /// }
    ///
    /// agent! { Clerk { instruction: "Help.", function_tools: [owner] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let error = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap_err();
    /// assert!(matches!(error, BuildError::OtherState { .. }));
    /// # });
    /// ```
    pub fn add_state<S: 'static>(&mut self) {
        let state = StateType::new::<S>();
        if !self.states.contains(&state) {
            self.states.push(state);
        }
    }

    /// The required types of the agent's state, in the order of their addition. With more than one, no agent
    /// can be built.
    pub fn states(&self) -> &[StateType] {
        &self.states
    }

    /// Notes that the code may require approval of the calls around which it runs.
    #[doc(hidden)]
    pub fn add_approval(&mut self) {
        self.requires_approval = true;
    }

    /// Whether the code may require approval of calls.
    #[doc(hidden)]
    pub fn requires_approval(&self) -> bool {
        self.requires_approval
    }

    /// All services, in the order of their addition.
    pub fn all(&self) -> impl Iterator<Item = ServiceType> {
        self.services.iter().map(|taken| taken.service)
    }

    /// The required services.
    pub fn required(&self) -> impl Iterator<Item = ServiceType> {
        self.services.iter().filter(|taken| taken.is_required).map(|taken| taken.service)
    }

    /// Whether the list has the service.
    pub fn has(&self, service: ServiceType) -> bool {
        self.all().any(|taken| taken == service)
    }

    /// Adds a required service.
    pub fn require(&mut self, service: ServiceType) {
        self.insert(ServiceUse { service, is_required: true });
    }

    fn insert(&mut self, taken: ServiceUse) {
        match self.services.iter_mut().find(|known| known.service == taken.service) {
            Some(known) => known.is_required |= taken.is_required,
            None => self.services.push(taken),
        }
    }
}
