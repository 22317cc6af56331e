//! Tools and hooks with types that are more private than themselves.
//!
//! An associated type must not be more private than its trait and the implementing type (E0446), whereas a
//! private type in the signature of a public function is only a warning. The rule does not apply to generic
//! types, nor to traits with a private type as parameter.

/// Implemented by every type for itself: `impl<S> Tool for report where State<Ledger>: Same<As = S>` can set
/// `type State = S`.
pub trait Same: Sized {
    /// The type itself.
    type As;

    /// Converts to the other name of the type. Every value has this method, so rustc would propose `same` for a misspelt `.name()`.
    fn __same(self) -> Self::As;

    /// Converts back.
    fn back(value: Self::As) -> Self;

    /// Converts a reference back.
    fn as_type(value: &Self::As) -> &Self;
}

impl<T> Same for T {
    type As = T;

    fn __same(self) -> T {
        self
    }

    fn back(value: T) -> T {
        value
    }

    fn as_type(value: &T) -> &T {
        value
    }
}

/// As [`Same`], for a type that is found through a [`Same`], because rustc resolves all obligations of a
/// trait with the `impl`'s bound on it. The number distinguishes two types of one `impl` that may be equal.
pub trait Nth<const AT: usize> {
    /// The type itself.
    type As;
}

impl<T, const AT: usize> Nth<AT> for T {
    type As = T;
}

not_a_tool! {
    /// A tool whose other traits have a private type in their parameters.
    pub trait Veiled {
        /// The private type.
        type Veil;
    }
}
