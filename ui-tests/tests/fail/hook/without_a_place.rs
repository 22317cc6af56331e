//! Hooks and guardrails that do not say where they run.
use onionskin::message_hooks::message_hook;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{Args, guardrail, run_hook, turn_hook};

//~ guardrail: neither
#[guardrail]
fn check(args: &Args) { let _ = args; }

//~ run hook: neither pre nor post
#[run_hook]
fn neither_pre_nor_post(input: &str) { let _ = input; }

//~ turn hook: no place
#[turn_hook]
fn trim(request: &mut TurnRequest) { let _ = request; }

//~ message hook: no place
#[message_hook]
fn redact() {}

fn main() {}
