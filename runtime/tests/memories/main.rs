//! Memories: the stores, and what agents do with them.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod fields;
mod parser;
mod refused;
mod rows;
mod sources;
mod suite;
