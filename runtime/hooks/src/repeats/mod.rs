//! Equal calls: [`cache_results`](struct@cache_results) and [`dedupe`](struct@dedupe).

mod caching;
mod deduping;
mod equal;

pub use caching::cache_results;
pub use deduping::{DedupeError, dedupe};
