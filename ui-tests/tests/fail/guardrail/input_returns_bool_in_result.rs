use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(args: &Args) -> Result<bool, String> {
    let _ = args;
    Ok(true)
}

fn main() {}
