//! O3: models that are made of other models, and recorded conversations.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod circuit;
mod differences;
mod environment;
mod fake;
mod fallback;
mod files;
mod limited;
mod outcomes;
mod router;
mod same_requests;
mod suite;
mod support;
