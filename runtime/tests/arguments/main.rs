//! Arguments as models write them: which are repaired, which are read as another type, and which are refused.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::unused_async,
    clippy::needless_pass_by_value,
    reason = "tests say what they expect, and their tools are small"
)]

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
