//! Types that are no hook and no guardrail.
use onionskin::{Args, ToolOutput, guardrail, tool, tool_hook};

//~ a type as a hook
fn note() {}

struct Notes;

/// Adds one.
#[tool(hooks = [Notes])]
fn hooked_by_notes(x: i64) -> i64 { x + 1 }

fn not_a_hook() {
    note();
    let _ = Notes;
}

//~ a type as a hook, by a path
mod audits {
    pub struct Audit;
}

/// Adds one.
#[tool(hooks = [audits::Audit])]
fn hooked_by_a_path(x: i64) -> i64 { x + 1 }

fn path_of_no_hook() { let _ = audits::Audit; }

//~ a tool as a guardrail
/// Checks.
#[tool]
fn check(x: i64) -> bool { x == 13 }

/// Adds one.
#[tool(output_guardrails = [check])]
fn add_one(x: i64) -> i64 { x + 1 }

#[tool_hook]
fn audit(args: &Args) { let _ = args; }

#[guardrail(input)]
fn before(args: &Args) { let _ = args; }

#[guardrail(output)]
fn after(output: &ToolOutput) { let _ = output; }

//~ a hook as a guardrail
/// Adds one.
#[tool(input_guardrails = [audit])]
fn wrong_guardrail(x: i64) -> i64 {
    x + 1
}

//~ an input guardrail for the output
/// Adds two.
#[tool(output_guardrails = [before])]
fn add_two(x: i64) -> i64 {
    x + 2
}

//~ an output guardrail for the input
/// Adds three.
#[tool(input_guardrails = [after])]
fn add_three(x: i64) -> i64 {
    x + 3
}

fn main() {}
