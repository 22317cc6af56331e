//! What a run hook returns.
use onionskin::run_hook;

//~ post returns an error that is no error
struct Wrong;

#[run_hook(post)]
fn check(answer: &str) -> Result<(), Wrong> { if answer.is_empty() { Err(Wrong) } else { Ok(()) } }

//~ pre returns bool
#[run_hook(pre)]
fn pre_returns_bool(input: &str) -> bool { input.is_empty() }

fn main() {}
