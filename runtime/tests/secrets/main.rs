//! T8: secrets never show, whatever a tool does with them by accident.
#![allow(missing_docs, clippy::pedantic, clippy::unwrap_used, reason = "tests")]

mod bind;
mod changes;
mod cuts;
mod model;
mod sessions;
mod visited;
