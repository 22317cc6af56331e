//! Types that a function can borrow and their owned types, and string literals as values of other types.

use std::path::{Path, PathBuf};

/// A type that a string literal can represent: in the default of a parameter, or in an argument of an
/// example.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from text",
    label = "write a value of the type `{Self}`",
    note = "write a default, or an argument of an example, as a Rust value: a variant (`Part::Patch`), a constant or a call; \
            text is accepted for types that implement `From<&str>` only"
)]
pub trait FromText {
    #[doc(hidden)]
    fn from_text(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromText for T {
    fn from_text(text: &'static str) -> Self {
        text.into()
    }
}

/// A type that a function borrows as `&Self`.
pub trait Lent {
    /// The owned type that is deserialised.
    type Owned;

    /// Borrows the owned value.
    fn lend(owned: &Self::Owned) -> &Self;
}

impl<T> Lent for T {
    type Owned = T;

    fn lend(owned: &T) -> &T {
        owned
    }
}

impl Lent for Path {
    type Owned = PathBuf;

    fn lend(owned: &PathBuf) -> &Path {
        owned
    }
}

/// Borrows a deserialised value.
pub fn lend<T: Lent + ?Sized>(owned: &T::Owned) -> &T {
    T::lend(owned)
}
