//! The size of requests in tokens.

/// The size of the newest answered request, and its input tokens.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    pub(super) bytes: u64,
    pub(super) tokens: u64,
}

/// The bytes of a token, before a request was measured.
const BYTES_PER_TOKEN: u64 = 4;

impl Measured {
    /// The tokens of a request of this size, rounded up.
    pub(super) fn estimate(measured: Option<Self>, bytes: u64) -> u64 {
        let Self { bytes: size, tokens } = measured.unwrap_or(Self { bytes: BYTES_PER_TOKEN, tokens: 1 });
        let estimate = (u128::from(bytes) * u128::from(tokens)).div_ceil(u128::from(size.max(1)));
        u64::try_from(estimate).unwrap_or(u64::MAX)
    }
}
