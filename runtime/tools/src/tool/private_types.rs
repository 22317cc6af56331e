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

    /// Converts to the other name of the type.
    fn same(self) -> Self::As;

    /// Converts back.
    fn back(value: Self::As) -> Self;

    /// Converts a reference back.
    fn as_type(value: &Self::As) -> &Self;
}

impl<T> Same for T {
    type As = T;

    fn same(self) -> T {
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

/// A tool whose other traits have a private type in their parameters.
// The messages equal those of [`Tool`](super::Tool), so that rustc reports a type that implements neither
// once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function and name the function here, or implement `Tool` for the type",
    note = "a hook belongs in `tool_hooks`, a toolbox in `toolboxes`, another agent in `agents`",
    note = "`name` alone is the function itself: write `name::default()` for a value of the tool"
)]
pub trait Veiled {
    /// The private type.
    type Veil;
}
