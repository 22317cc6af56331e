//! One error for one mistake, if generated code names a wrong type in several places.

/// A constant that compiles.
///
/// `<Known<{ <<H as Hook>::Made as MadeBy<H>>::TYPED }> as Is>::Type<H>` is `H`. If `H` does not implement `Hook`, the
/// constant is an error, which the compiler reports at the constant. The type is then an error too, and the compiler
/// reports nothing about its uses.
pub struct Known<const VALUE: bool>;

/// Implemented for a [`Known`] constant.
pub trait Is {
    /// The type itself.
    type Type<T>;

    /// A value of [`Self::Type`]. If the constant is an error, the compiler reports nothing more.
    fn hold<T>(value: T) -> Self::Type<T>;
}

impl<const VALUE: bool> Is for Known<VALUE> {
    type Type<T> = T;

    fn hold<T>(value: T) -> T {
        value
    }
}

/// The number of values that a hook or a guardrail takes, from its `TAKES`. It is zero for a hook or a guardrail that a
/// list cannot name.
pub const fn taken(takes: Option<usize>) -> usize {
    match takes {
        Some(values) => values,
        None => 0,
    }
}

/// Whether `given` values are enough. It is true for a hook or a guardrail that a list cannot name, because that is an
/// error of its own.
pub const fn has_each(given: usize, takes: Option<usize>) -> bool {
    given >= taken(takes)
}

/// Whether `given` values are not too many; see [`has_each`].
pub const fn has_no_more(given: usize, takes: Option<usize>) -> bool {
    match takes {
        Some(values) => given <= values,
        None => true,
    }
}
