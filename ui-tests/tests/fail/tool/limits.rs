//! Limits of another type, and limits of zero.
use std::time::Duration;

use onionskin::tool;

//~ a capacity of another type
const ROOM: &str = "many";

/// Pays.
#[tool(cache(capacity = ROOM))]
fn pay(cents: u32) -> u32 { cents }

//~ a time to live of another type
const TTL: u64 = 60;

/// Pays.
#[tool(cache(ttl = TTL))]
fn cache_ttl_of_another_type(cents: u32) -> u32 { cents }

//~ a number of calls of another type
const MOST: i64 = 3;

/// Pays.
#[tool(max_calls = MOST)]
fn max_calls_of_another_type(cents: u32) -> u32 { cents }

//~ a number of calls that is a constant zero
mod limits {
    pub const MOST: u32 = 0;
}

/// Adds one.
#[tool(max_calls = limits::MOST)]
fn never_called(x: i64) -> i64 { x + 1 }

fn max_calls_is_a_constant_zero() { let _ = never_called::spec(); }

//~ a timeout that is a constant zero
const PAUSE: Duration = Duration::ZERO;

/// Adds one.
#[tool(timeout = PAUSE)]
async fn no_time(x: i64) -> i64 { x + 1 }

fn timeout_is_a_constant_zero() { let _ = no_time::spec(); }

fn main() {}
