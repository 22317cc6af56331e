//! Services, `Provided<T>`: each is a parameter of its own.

use syn::{Attribute, Type};

use super::borrows;
use crate::diag::Errors;
use crate::injected::{is_provided, requested, within};

/// Refuses a service in another type.
pub(super) fn alone(ty: &Type, errors: &mut Errors) {
    if let Some(service) = within(ty, "Provided") {
        errors.at(
            service,
            "a service is a parameter of its own: write `Provided<..>`, or `Option<Provided<..>>` if it can be missing; for your own type of that name, write `#[arg]`",
        );
    }
}

/// Refuses a service that borrows, or that the state would fill.
pub(super) fn check(ty: &Type, bound: Option<&Attribute>, errors: &mut Errors) {
    let (service, _) = requested(ty);
    if !is_provided(service) {
        return;
    }
    if let Some(bound) = bound {
        errors.at(
            bound,
            "a service is found by its type, and is not a part of the state: remove `#[bind(..)]`",
        );
    } else if borrows(service) {
        errors.at(service, "calls of all sessions share a service, so its type cannot borrow");
    }
}
