//! Ready models, made of other models.
//!
//! A [`Cassette`] records the conversations of a test with a real model in a file, and replays them.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod cassette;

pub use cassette::{Cassette, CassetteError, CassetteModel, Difference};
