//! Types that a function may borrow and what holds them, and values that the macro finds written down as text.

use std::path::{Path, PathBuf};

/// A type that a text in quotes stands for: the default of a parameter, or an argument of an example.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made of text",
    label = "write a value of the type `{Self}`",
    note = "a default and an argument of an example are Rust values: a variant (`Part::Patch`), a constant, a call; text only stands for \
            what implements `From<&str>`"
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

/// What a function borrows as `&Self`.
#[doc(hidden)]
pub trait Lent {
    /// What is read, and holds it.
    type Owned;

    /// The borrowed form.
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

/// The borrowed form of what was read.
pub fn lend<T: Lent + ?Sized>(owned: &T::Owned) -> &T {
    T::lend(owned)
}
