use onionskin::run_hook;

struct Wrong;

#[run_hook(post)]
fn check(answer: &str) -> Result<(), Wrong> {
    if answer.is_empty() { Err(Wrong) } else { Ok(()) }
}

fn main() {}
