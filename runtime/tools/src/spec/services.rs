//! Services of tool values: the ones that a tool takes, and the ones for direct calls.

use std::sync::Arc;

use super::toolspec::ToolSpec;
use crate::services::{ProvidedService, Service, ServiceError, ServiceTypes};

impl ToolSpec {
    /// Provides a service for direct calls of this tool. In an agent, the tool gets the services of the
    /// agent's builder and of the request.
    ///
    /// ```
    /// use onionskin::{Provided, call, tool};
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
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let spec = price::spec().provide(Prices { cents: 250 });
    /// assert_eq!(call!(spec, lamps = 2).await.unwrap(), 500);
    ///
    /// let error = call!(price::spec(), lamps = 2).await.unwrap_err();
    /// assert!(error.to_string().contains("has no service"), "{error}");
    /// # });
    /// ```
    #[must_use]
    pub fn provide<T: Service>(self, service: T) -> Self {
        self.provide_shared(Arc::new(service))
    }

    /// As [`Self::provide`], for a service in an [`Arc`], also of a trait object.
    #[must_use]
    pub fn provide_shared<T: ?Sized + Service>(mut self, service: Arc<T>) -> Self {
        self.services.insert(ProvidedService::new(service));
        self
    }

    /// Declares that the tool takes a service of this type, as `ToolDefinition::takes_service` does, for a
    /// closure that calls [`ToolContext::provided`](crate::ToolContext::provided).
    ///
    /// ```
    /// use onionskin::{ToolSpec, call};
    ///
    /// struct Greeting(&'static str);
    ///
    /// let greet = ToolSpec::from_fn("greet", "Greets.", |(): (), cx| async move {
    ///     Ok(cx.provided::<Greeting>()?.0.to_owned())
    /// });
    /// let greet = greet.takes_service::<Greeting>().provide(Greeting("Good morning."));
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(call!(greet).await.unwrap(), "Good morning.");
    /// # });
    /// ```
    #[must_use]
    pub fn takes_service<T: ?Sized + 'static>(mut self) -> Self {
        self.takes(ServiceTypes::add::<T>);
        self
    }

    /// Adds the services that the tool or an addition to it takes.
    pub(super) fn takes(&mut self, list: impl FnOnce(&mut ServiceTypes)) {
        let mut services = self.own.services.clone();
        list(&mut services);
        if services != self.own.services {
            Arc::make_mut(&mut self.own).services = services.clone();
            Arc::make_mut(&mut self.definition).services = services;
        }
    }

    /// The error for a direct call that lacks a required service.
    pub(super) fn no_service(&self) -> Option<ServiceError> {
        let mut required = self.own.services.required();
        let missing = required.find(|service| !self.services.has(*service))?;
        Some(ServiceError::for_tool(self.name(), missing))
    }
}
