//! Clones of a tool have a hook and a guardrail each, so these are `Clone`.
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::{Args, ToolOutput, guardrail, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

//~ a hook
// Clones of a tool have a hook each, so the hook has to be `Clone`.
#[tool_hook]
fn counted(#[config] calls: &AtomicU32, output: &mut ToolOutput) {
    output.push_text(calls.fetch_add(1, Ordering::Relaxed).to_string());
}

fn own_hook_not_clone() { drop(add_one::spec().hook(counted::new(AtomicU32::new(0)))); }

//~ a guardrail
// Clones of a tool have a guardrail each, so the guardrail has to be `Clone`.
#[guardrail(input)]
fn counted_guardrail(#[config] calls: &AtomicU32, args: &Args) -> Result<(), String> {
    let _ = (calls.fetch_add(1, Ordering::Relaxed), args);
    Ok(())
}

fn added_not_clone() {
    add_one::spec().add_input_guardrails(counted_guardrail::new(AtomicU32::new(0)));
}

fn main() {}
