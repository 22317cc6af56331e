//! Stores of `onionskin` in one `SQLite` file: see [`Sqlite`].

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod budgets;
mod delete_user;
mod failure;
mod file;
mod handle;
mod memories;
mod readers;
mod schema;
mod sessions;
mod text;
mod wipe;
mod writer;

pub use handle::{Sqlite, SqliteBuilder};
