//! O3: conversations of tests are recorded once, and replayed without the model.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod differences;
mod environment;
mod files;
mod outcomes;
mod suite;
mod support;
