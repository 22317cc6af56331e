//! A8, O4: the events of a run, as the book lists them.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
mod order;
mod readers;
mod script;
mod table;
