//! Arguments as models write them: which are repaired, which are read as another type, and which are refused.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "tests say what they expect")]
#![allow(clippy::unused_async, reason = "tests say what they expect")]

#[macro_use]
#[path = "../shared/by_hand.rs"]
mod by_hand;
mod borrowed;
mod bounded;
mod broken_schemas;
mod coercion;
mod conditions;
mod flattened;
mod hooks;
mod hostile_schemas;
mod long_arguments;
mod long_numbers;
mod long_typed;
mod nested;
mod nulls;
mod repair;
mod reserved;
mod results;
mod rewritten;
mod unions;
