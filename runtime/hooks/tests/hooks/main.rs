//! The ready hooks, as agents and tools use them.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "tests say what they expect"
)]

mod cache_results;
mod cards;
mod circuit;
mod circuit_breaker;
mod clamp_argument;
mod concurrency;
mod dedupe;
mod dedupe_limits;
mod inner;
mod many_runs;
mod rate;
mod rate_limit;
mod redact;
mod replays;
mod require_approval;
mod spill;
mod timeout;
