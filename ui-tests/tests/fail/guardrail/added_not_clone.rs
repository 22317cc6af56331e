//! Clones of a tool have a guardrail each, so the guardrail has to be `Clone`.
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::{Args, guardrail, tool};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[guardrail(input)]
fn counted(#[config] calls: &AtomicU32, args: &Args) -> Result<(), String> {
    let _ = (calls.fetch_add(1, Ordering::Relaxed), args);
    Ok(())
}

fn main() {
    add_one::spec().add_input_guardrails(counted::new(AtomicU32::new(0)));
}
