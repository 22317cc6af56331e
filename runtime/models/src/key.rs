//! The key of a model in limits that several models share.

use onionskin_core::model::{Model, ModelRequest};

/// The provider and the name of the model that answers a request.
pub(crate) fn key(model: &impl Model, request: &ModelRequest) -> String {
    let identity = model.identity(request.model.as_deref());
    match identity.model() {
        Some(name) => format!("{}/{name}", identity.provider()),
        None => identity.provider().to_owned(),
    }
}
