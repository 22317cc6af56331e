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

/// Whether a hook stands with as many values as it takes. Reported where this is called.
///
/// # Panics
/// If not; this is a constant, so the compiler shows the words.
#[track_caller]
pub const fn takes(written: usize, takes: (usize, &'static str)) -> bool {
    assert!(written == takes.0, "{}", takes.1);
    true
}
