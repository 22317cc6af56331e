use onionskin::guardrail;

#[guardrail(input)]
fn check(args: &serde_json::Value) {
    let _ = args;
}

fn main() {}
