//! Ready-made hooks around tool calls, beside `log`, `timing` and `retry` of core.
//!
//! | hook | what it does |
//! |---|---|
//! | [`timeout(limit)`](struct@timeout) | ends calls that take too long, with all hooks inside |
//! | [`rate_limit(limit)`](struct@rate_limit) | waits for a permit of a [`RateLimit`] |
//! | [`circuit_breaker(circuits)`](struct@circuit_breaker) | refuses calls while they keep failing: a [`CircuitBreaker`] |
//! | [`concurrency(slots)`](struct@concurrency) | a bounded number of calls at once |
//! | [`clamp_argument(name, range)`](struct@clamp_argument) | holds a number in the arguments to a range |
//! | [`require_approval(when)`](struct@require_approval) | asks a person about some calls |
//! | [`dedupe`](struct@dedupe) | answers a call with the result of an equal one of its run |
//! | [`redact(redaction)`](struct@redact) | takes fields and patterns out of results: a [`Redaction`] |
//! | [`cache_results(capacity, ttl)`](struct@cache_results) | answers equal calls of pure tools from a cache |
//! | [`spill(bytes)`](struct@spill) | long results go to a file of a [`SpillFolder`], which its tool [`read_spilled`](fn@read_spilled) reads |
//!
//! [`CallKey`] says which calls share a limit. Wrappers of models use [`RateLimit`] and [`CircuitBreaker`] too.
//!
//! ```
//! use std::time::Duration;
//! use onionskin::agent;
//! use onionskin::hooks::{CircuitBreaker, circuit_breaker, concurrency, timeout};
//!
//! agent! {
//!     Clerk {
//!         instruction: "Answer.",
//!         tool_hooks: [
//!             circuit_breaker(CircuitBreaker::new(5, Duration::from_secs(30))),
//!             concurrency(4),
//!             timeout(Duration::from_secs(20)),
//!         ],
//!     }
//! }
//! ```

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![expect(
    non_camel_case_types,
    reason = "a hook of a type is named as one of a function: `timeout(..)` beside `retry(..)`"
)]

// The macros name the runtime by this path.
extern crate onionskin_core as onionskin;

/// Lists construct the hook from its values, as those of a function.
macro_rules! from_values {
    ($hook:ident($value:ident: $type:ty)) => {
        impl From<($type,)> for $hook {
            fn from(($value,): ($type,)) -> Self {
                Self::new($value)
            }
        }
    };
}

mod approving;
mod breaking;
mod caching;
pub mod cards;
mod circuit;
mod clamping;
mod deduping;
mod equal;
mod key;
mod limiting_rate;
mod limiting_time;
mod lock;
mod rate;
mod redacting;
mod refusal;
mod slots;
mod spilling;
mod unfit;

pub use approving::require_approval;
pub use breaking::circuit_breaker;
pub use caching::cache_results;
pub use circuit::{CircuitBreaker, CircuitOpen, CircuitPermit};
pub use clamping::clamp_argument;
pub use deduping::{OutcomeUnknown, TooManyCallsError, dedupe};
pub use key::CallKey;
pub use limiting_rate::rate_limit;
pub use limiting_time::timeout;
pub use rate::{RateLimit, RateLimitError};
pub use redacting::{Redaction, redact};
pub use slots::{TooManyKeysError, concurrency};
pub use spilling::{SpillFolder, read_spilled, spill};
