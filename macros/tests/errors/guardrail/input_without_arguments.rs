use onionskin::guardrail;

#[guardrail(input)]
fn check(#[config] most: usize) -> Result<(), String> {
    Err(most.to_string())
}

fn main() {}
