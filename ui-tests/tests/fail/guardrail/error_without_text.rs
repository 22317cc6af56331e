use onionskin::{Args, guardrail};

struct Refused;

#[guardrail(input)]
fn check(args: &Args) -> Result<(), Refused> {
    if args["x"] == 13 { Err(Refused) } else { Ok(()) }
}

fn main() {}
