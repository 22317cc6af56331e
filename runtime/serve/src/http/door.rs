//! What each request passes first: host and origin, token, rate, and the length of its body.

use std::sync::Arc;

use http::{HeaderValue, request};

use super::Http;
use super::admission::Admission;
use super::auth::{Gate, Refused};
use super::body::Bodies;
use super::load::Rate;
use super::responses::{Refusal, too_many_requests, unauthorized, unavailable};
use crate::user::User;

/// The checks of a server.
pub(crate) struct Door {
    admission: Admission,
    pub(crate) gate: Gate,
    rate: Option<Rate>,
    /// The address of the metadata of the resource.
    metadata: Option<Arc<str>>,
    pub(crate) bodies: Bodies,
}

impl Door {
    pub(crate) fn new(http: &Http) -> Self {
        Self {
            admission: http.admission.clone(),
            gate: http.gate.clone(),
            rate: http.bounds.requests_per_minute.map(Rate::new),
            metadata: http.metadata.as_ref().map(|metadata| metadata.address().into()),
            bodies: Bodies::new(http.bounds.body, http.bounds.patience),
        }
    }

    /// Checks host and origin. Returns the origin of a page.
    ///
    /// # Errors
    /// Returns the refusal of the request.
    pub(crate) fn admit(&self, head: &request::Parts) -> Result<Option<HeaderValue>, Refusal> {
        self.admission.check(head)
    }

    /// The user of a request that was admitted; `None` if no token is required.
    ///
    /// # Errors
    /// Returns the refusal of the request.
    pub(crate) async fn user(&self, head: &request::Parts) -> Result<Option<User>, Refusal> {
        let user = self.gate.user(&head.headers, self.bodies.patience).await;
        let user = user.map_err(|refused| match refused {
            Refused::NoToken => unauthorized(false, self.metadata.as_deref()),
            Refused::WrongToken => unauthorized(true, self.metadata.as_deref()),
            Refused::Busy => unavailable("too many tokens are checked at this moment"),
        })?;
        match self.rate.as_ref().and_then(|rate| rate.count(user.as_ref())) {
            Some(seconds) => Err(too_many_requests(seconds)),
            None => Ok(user),
        }
    }
}
