//! What a run hook takes.
use onionskin::{Progress, run_hook};

//~ the input as a number
#[run_hook(pre)]
fn check(input: u32) { let _ = input; }

//~ a type that cannot be injected
struct Desk;

#[run_hook(pre)]
fn not_injectable(input: &str, desk: Desk) { let _ = (input, desk); }

//~ the progress of a call
#[run_hook(pre)]
fn progress(input: &str, progress: Progress) { let _ = (input, progress); }

fn main() {}
