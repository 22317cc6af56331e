//! Types that a function may borrow, and what holds them.

use std::path::{Path, PathBuf};

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
