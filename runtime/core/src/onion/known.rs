//! One error for one mistake, also where generated code names a wrong type in many places.

/// A constant that is known.
///
/// `<Known<{ <H as Hook>::TYPED }> as Is>::Type<H>` is `H`. Where `H` is no hook, the constant is an error, which the
/// compiler reports at the constant; the type is an error then too, and about whatever uses it the compiler is silent.
pub struct Known<const VALUE: bool>;

/// What is there if a constant is [`Known`].
pub trait Is {
    /// The type itself.
    type Type<T>;

    /// A value under that name of its type: of a constant that is an error, nothing more is said.
    fn hold<T>(value: T) -> Self::Type<T>;
}

impl<const VALUE: bool> Is for Known<VALUE> {
    type Type<T> = T;

    fn hold<T>(value: T) -> T {
        value
    }
}

/// How many values a hook or a guardrail takes, by its `TAKES`. One that a list cannot name has none.
pub const fn taken(takes: Option<usize>) -> usize {
    match takes {
        Some(values) => values,
        None => 0,
    }
}

/// Whether so many values are all that it takes. One that a list cannot name lacks none: it is refused for that alone.
pub const fn has_each(given: usize, takes: Option<usize>) -> bool {
    given >= taken(takes)
}

/// Whether so many values are no more than it takes; as [`has_each`].
pub const fn has_no_more(given: usize, takes: Option<usize>) -> bool {
    match takes {
        Some(values) => given <= values,
        None => true,
    }
}
