//! The ready-made guardrails: how often they are right, and what they do around runs and calls.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod around;
mod blocks;
mod errors;
mod labelled;
mod long;
mod streamed;
mod structured;
mod typed;
