//! What a run hook takes.
use onionskin::{Progress, run_hook};

//~ input as a number
#[run_hook(pre)]
fn check(input: u32) { let _ = input; }

//~ not injectable
struct Desk;

#[run_hook(pre)]
fn not_injectable(input: &str, desk: Desk) { let _ = (input, desk); }

//~ progress
#[run_hook(pre)]
fn progress(input: &str, progress: Progress) { let _ = (input, progress); }

fn main() {}
