//! The key of a model in limits that several models share.

use onionskin_core::model::{Model, ModelError, ModelRequest};

/// The provider and the name of the model that answers a request. The provider's key and address are no part of it, so models with those of
/// users need limits of their own.
pub(crate) fn key(model: &impl Model, request: &ModelRequest) -> String {
    let identity = model.identity(request.model.as_deref());
    match identity.model() {
        Some(name) => format!("{}/{name}", identity.provider()),
        None => identity.provider().to_owned(),
    }
}

/// Refuses a limit that has a key of calls, which would have no effect.
pub(crate) fn without_call_key(limit: &str, has_call_key: bool) -> Result<(), ModelError> {
    if has_call_key {
        return Err(ModelError::setup(format!(
            "the {limit} has a key for calls of tools (`keyed_by`), and a model has no such calls: give the model a {limit} without it; \
             its key is the provider and the name of the model"
        )));
    }
    Ok(())
}
