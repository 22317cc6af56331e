use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(args: &Args, most: usize) -> Result<(), String> {
    if args.text().len() > most { Err("too long".to_owned()) } else { Ok(()) }
}

fn main() {}
