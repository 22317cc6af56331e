//! Values with which a hook would do nothing, or let no call pass.

/// A value that does not fit: its index among the values of the hook in a card, and why.
pub type Unfit = (usize, String);

/// The value at an index fits if this holds.
pub(crate) fn ensure(fits: bool, at: usize, why: impl Into<String>) -> Result<(), Unfit> {
    if fits { Ok(()) } else { Err((at, why.into())) }
}

/// What Rust makes of values. The panic is the error of building an agent.
#[track_caller]
pub(crate) fn or_panic<T>(made: Result<T, Unfit>) -> T {
    made.unwrap_or_else(|(_, why)| panic!("{why}"))
}
