//! Ready models, made of other models.
//!
//! | | |
//! |---|---|
//! | [`Fallback`] | asks the next model when one fails |
//! | [`Router`] | chooses a model for each request, by a rule |
//! | [`FirstTokenTimeout`] | ends a request whose model is silent |
//! | [`Circuit`] | does not ask a model whose requests keep failing |
//! | [`Limited`] | asks a model no more often than a rate limit allows |
//! | [`Cassette`] | records the conversations of a test with a model in a file, and replays them |

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod candidates;
mod cassette;
mod circuit;
mod fallback;
mod first_token;
mod forward;
mod key;
mod limited;
mod origin;
mod router;
mod signs;

pub use cassette::{Cassette, CassetteError, CassetteModel, Difference};
pub use circuit::Circuit;
pub use fallback::Fallback;
pub use first_token::FirstTokenTimeout;
pub use limited::Limited;
pub use router::Router;
