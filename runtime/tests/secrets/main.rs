//! T8: secrets never show, whatever a tool does with them by accident.
#![allow(missing_docs, clippy::unwrap_used, clippy::pedantic, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
mod bind;
mod changes;
mod cuts;
#[path = "../shared/lines.rs"]
mod lines;
mod model;
mod sessions;
mod visited;
