//! Provided services.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::provided::Provided;
use onionskin_definitions::requirements::{Service, ServiceType, ServiceTypes};

/// A provided service.
#[derive(Clone)]
pub struct ProvidedService {
    /// Its type.
    pub ty: ServiceType,
    /// The number of the `provide` call.
    id: u64,
    /// The builder call that provided it, for errors.
    pub call: &'static str,
    /// An `Arc<T>`.
    value: Arc<dyn Any + Send + Sync>,
}

impl ProvidedService {
    /// A service that was provided as a value.
    pub fn from_value<T: Service>(service: T) -> Self {
        Self { call: ".provide(..)", ..Self::new(Arc::new(service)) }
    }

    /// A shared service.
    pub fn new<T: ?Sized + Service>(service: Arc<T>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { ty: ServiceType::new::<T>(), id, call: ".provide_shared(..)", value: Arc::new(service) }
    }
}

/// The services of a run. Cheap to clone. Programs have few services, so a list is faster than a map.
#[derive(Clone, Default)]
pub struct Services(Option<Arc<Vec<ProvidedService>>>);

impl Services {
    /// Adds a service. It replaces an earlier one of the same type.
    pub fn insert(&mut self, service: ProvidedService) {
        let all = Arc::make_mut(self.0.get_or_insert_default());
        match all.iter_mut().find(|known| known.ty == service.ty) {
            Some(known) => *known = service,
            None => all.push(service),
        }
    }

    /// Removes the service of a type.
    pub fn remove(&mut self, ty: ServiceType) {
        if let Some(all) = &mut self.0 {
            Arc::make_mut(all).retain(|service| service.ty != ty);
        }
    }

    /// Adds other services, which replace those of the same types.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        match (&self.0, &others.0) {
            (_, None) => self.clone(),
            (None, Some(_)) => others.clone(),
            (Some(_), Some(others)) => {
                let mut all = self.clone();
                others.iter().for_each(|service| all.insert(service.clone()));
                all
            }
        }
    }

    /// All services.
    pub fn all(&self) -> &[ProvidedService] {
        self.0.as_ref().map_or(&[], |all| all.as_slice())
    }

    /// Whether the service is provided.
    pub fn has(&self, ty: ServiceType) -> bool {
        self.all().iter().any(|service| service.ty == ty)
    }

    /// The ids of the services that a tool takes; `None` for a missing one.
    pub(crate) fn ids(&self, taken: &ServiceTypes) -> Vec<Option<u64>> {
        let id = |ty| self.all().iter().find(|service| service.ty == ty).map(|service| service.id);
        taken.all().map(id).collect()
    }

    pub(crate) fn get<T: ?Sized + Service>(&self) -> Option<Provided<T>> {
        let wanted = ServiceType::new::<T>();
        let service = self.all().iter().find(|service| service.ty == wanted)?;
        service.value.downcast_ref::<Arc<T>>().map(|service| Arc::clone(service).into())
    }
}

/// Shows the types only.
impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all().iter().map(|service| service.ty.name())).finish()
    }
}
