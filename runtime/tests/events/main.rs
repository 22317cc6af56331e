//! A8, O4: the events of a run, as the book lists them.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "tests say what they expect, and their tools are small"
)]

mod order;
mod readers;
mod script;
mod table;
