//! Hooks and guardrails that do not say where they run.
use onionskin::message_hooks::message_hook;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{Args, guardrail, run_hook, turn_hook};

//~ a guardrail
#[guardrail]
fn check(args: &Args) { let _ = args; }

//~ a run hook
#[run_hook]
fn neither_pre_nor_post(input: &str) { let _ = input; }

//~ a turn hook
#[turn_hook]
fn trim(request: &mut TurnRequest) { let _ = request; }

//~ a message hook
#[message_hook]
fn redact() {}

fn main() {}
