//! Secret parameters: the state fills them, the run conceals them, and the model never sees them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Expr, ExprLit, Lit, PathSegment, Type};

use super::{Param, Source};
use crate::diag::Errors;
use crate::injected::within;

fn secret(ty: &Type) -> Option<&PathSegment> {
    within(ty, "Secret")
}

/// Refuses a secret that the model would fill.
pub(super) fn never_filled(ty: &Type, errors: &mut Errors) {
    if let Some(secret) = secret(ty) {
        errors.at(
            secret,
            "the model must neither see nor write a secret: fill it from the agent's state, `#[bind(config.key)]`, or from \
             the session's, `#[bind(\"config.key\")]`; for your own type of that name, write `#[arg]`",
        );
    }
}

/// Refuses a secret that is written in the source.
pub(super) fn never_written(ty: &Type, default: &Expr, errors: &mut Errors) {
    if let (Some(_), Expr::Lit(ExprLit { lit: Lit::Str(_) | Lit::ByteStr(_), .. })) = (secret(ty), default) {
        errors.at(
            default,
            "everyone who has the source, or the program's file, can read this secret: take the default from outside, \
             `default = Secret::new(read_key())`, or remove `default` and set the secret with `set_secret`",
        );
    }
}

impl Param {
    /// Returns whether the state fills it with a secret.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(self.source, Source::Bound(_)) && secret(&self.ty).is_some()
    }
}

/// Registers the secrets in a bound value. The compiler finds whether its type lists any, because the type may have any
/// name.
pub(super) fn conceal(value: &Ident) -> TokenStream {
    quote!(__rt::conceal(__cx, |__visit| {
        use __rt::VisitNone as _;
        __rt::Visited(&#value).visit(__visit);
    });)
}
