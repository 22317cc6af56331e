//! How a tool or a hook is made of types that fewer people see than it.
//!
//! An associated type may not be more private than its trait and the type that has it (E0446), whereas rustc only warns of
//! a public function whose signature names a private type. What is generic is held to no such rule, nor is a trait with a
//! private type in its parameters.

/// That a type is itself: `impl<S> Tool for report where State<Ledger>: Same<As = S>` can say `type State = S`.
#[doc(hidden)]
pub trait Same: Sized {
    /// The type itself.
    type As;

    /// The value under the other name of its type.
    fn same(self) -> Self::As;

    /// The value under its own type.
    fn back(value: Self::As) -> Self;

    /// As [`Self::back`], for a value that is looked at.
    fn seen(value: &Self::As) -> &Self;
}

impl<T> Same for T {
    type As = T;

    fn same(self) -> T {
        self
    }

    fn back(value: T) -> T {
        value
    }

    fn seen(value: &T) -> &T {
        value
    }
}

/// As [`Same`], for a type that is found by way of a [`Same`]: the compiler takes a bound of an `impl` for the answer to
/// all questions about its trait.
#[doc(hidden)]
pub trait Itself {
    /// The type itself.
    type As;
}

impl<T> Itself for T {
    type As = T;
}

/// As [`Same`], for the argument of this number: two arguments of one type have to be told apart in bounds.
#[doc(hidden)]
pub trait Nth<const AT: usize> {
    /// The type itself.
    type As;
}

impl<T, const AT: usize> Nth<AT> for T {
    type As = T;
}

/// A tool whose other traits have a type in their parameters that nobody else can name.
// The words are those of [`Tool`](super::Tool), so that what is neither is reported once.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function and name the function here, or implement `Tool` for the type",
    note = "a hook belongs in `tool_hooks`, a toolbox in `toolboxes`, another agent in `agents`",
    note = "a function's name is a value of the function: where a value of the tool is wanted, write `name::default()`"
)]
pub trait Veiled {
    /// That type.
    type Veil;
}
