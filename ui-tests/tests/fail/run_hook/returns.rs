//! What a run hook returns.
use onionskin::run_hook;

//~ after the run, an error that is no `Error`
struct Wrong;

#[run_hook(post)]
fn check(answer: &str) -> Result<(), Wrong> { if answer.is_empty() { Err(Wrong) } else { Ok(()) } }

//~ before the run, a `bool`
#[run_hook(pre)]
fn pre_returns_bool(input: &str) -> bool { input.is_empty() }

fn main() {}
