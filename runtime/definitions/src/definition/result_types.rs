//! Types that a tool's function can return, for errors of the compiler.

use std::fmt::Display;
use std::marker::PhantomData;

use serde::Serialize;

use crate::schema::to_json;
use crate::secret::Secret;

/// A type that a tool can return as JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "the model cannot read this",
    note = "return a type with `Serialize` (`#[derive(serde::Serialize)]`; with `schemars::JsonSchema` too it \
            gets an output schema), `String`, `()`, `ToolOutput`, content blocks, or `Result<T, E>` of one of \
            these where `E` can be displayed"
)]
pub trait ToolReturn: Sized {
    /// Checks the bound at the span that the macro chooses.
    #[doc(hidden)]
    fn is_readable(_: &Kind<Self>) {}

    #[doc(hidden)]
    fn into_json(self) -> Result<String, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolReturn for T {
    // The caller is in another file, and the compiler would not inline it otherwise.
    #[inline]
    fn into_json(self) -> Result<String, serde_json::Error> {
        to_json(&self)
    }
}

/// A result that the model may see: anything but a secret.
#[diagnostic::on_unimplemented(
    message = "a secret never goes to the model, so `{Self}` cannot be the result of a tool",
    label = "the model would read this",
    note = "return what the tool found or did with the secret, or `()`; another tool takes the secret itself with `#[bind(..)]`, from the \
            agent's state or from the session's (`SessionState::set_secret`)"
)]
pub trait ShownToModel: Sized {
    /// Checks the bound at the span that the macro chooses.
    #[doc(hidden)]
    fn is_shown(_: &Kind<Self>) {}
}

/// Represents all results that are not secrets.
#[diagnostic::do_not_recommend]
impl ShownToModel for () {}

/// A secret, also in an option or a list.
pub trait SecretResult {}
impl<T> SecretResult for Secret<T> {}
impl<T> SecretResult for Option<Secret<T>> {}
impl<T> SecretResult for Vec<Secret<T>> {}

/// A type of errors whose text can be sent to the model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "the model reads an error as text, and this has none",
    note = "implement `std::fmt::Display` for it (`#[derive(thiserror::Error)]` does), or turn it into text: `Result<_, String>` with \
            `.map_err(|error| ..)`"
)]
pub trait ErrorText: Sized {
    /// Checks the bound at the span that the macro chooses.
    #[doc(hidden)]
    fn is_readable(_: &Kind<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<E: Display> ErrorText for E {}

/// A type as a value, for the ladders.
pub struct Kind<T>(PhantomData<fn() -> T>);

impl<T> Kind<T> {
    #[expect(clippy::new_without_default, reason = "generated code is the only caller")]
    /// The type.
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// The type of a value.
    pub fn from_value(_: &T) -> Self {
        Self(PhantomData)
    }
}
