//! Ready-made hooks around tool calls, and the limits that several of them share.
//!
//! | shared by calls, runs and models | what it does |
//! |---|---|
//! | [`RateLimit`] | permits per time, for each key |
//! | [`CircuitBreaker`] | refuses calls of a key whose calls keep failing |

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

// The macros name the runtime by this path.
extern crate onionskin_core as onionskin;

mod circuit;
mod lock;
mod rate;

pub use circuit::{CircuitBreaker, CircuitOpen, CircuitPermit};
pub use rate::{RateLimit, RateLimitError};
