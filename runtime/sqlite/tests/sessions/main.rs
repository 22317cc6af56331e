//! A12: sessions in an `SQLite` file.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod clock;
mod damage;
mod deletion;
mod full;
mod life;
mod processes;
#[cfg(unix)]
mod read_only;
mod search;
mod shared;
mod suite;
mod versions;
