//! Clones of a tool have a hook each, so the hook has to be `Clone`.
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::{ToolOutput, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
fn counted(#[config] calls: &AtomicU32, output: &mut ToolOutput) {
    output.push_text(calls.fetch_add(1, Ordering::Relaxed).to_string());
}

fn main() {
    drop(add_one::spec().hook(counted::new(AtomicU32::new(0))));
}
