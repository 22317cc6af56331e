//! The ready-made guardrails: how often they are right, and what they do around runs and calls.

mod around;
mod blocks;
mod errors;
mod labelled;
mod long;
mod streamed;
mod structured;
mod typed;
