//! Reports a wrong type once, although generated code names it in several places.

/// A type whose constant argument compiles.
///
/// `<Known<{ <<H as Hook>::Made as MadeBy<H>>::TYPED }> as Is>::Type<H>` is `H`. If `H` does not implement
/// `Hook`, the compiler reports an error at the constant, and nothing about uses of the type.
pub struct Known<const VALUE: bool>;

/// Implemented for a [`Known`] constant.
pub trait Is {
    /// The type itself.
    type Type<T>;

    /// Returns the value as [`Self::Type`].
    fn hold<T>(value: T) -> Self::Type<T>;
}

impl<const VALUE: bool> Is for Known<VALUE> {
    type Type<T> = T;

    fn hold<T>(value: T) -> T {
        value
    }
}

/// The number of values that a hook or a guardrail takes, from its `TAKES`; zero if a list cannot name it.
pub const fn value_count(takes: Option<usize>) -> usize {
    match takes {
        Some(values) => values,
        None => 0,
    }
}

/// Whether there are enough values. It is true for a hook or a guardrail that a list cannot name, which is a
/// separate error.
pub const fn has_each(provided: usize, takes: Option<usize>) -> bool {
    provided >= value_count(takes)
}

/// Whether there are not too many values; see [`has_each`].
pub const fn has_no_more(provided: usize, takes: Option<usize>) -> bool {
    match takes {
        Some(values) => provided <= values,
        None => true,
    }
}
