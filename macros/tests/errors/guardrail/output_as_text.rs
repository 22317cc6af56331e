use onionskin::guardrail;

#[guardrail(output)]
fn check(output: &str) -> Result<(), String> {
    Err(output.to_owned())
}

fn main() {}
