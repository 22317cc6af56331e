use onionskin::guardrail;

#[guardrail(output)]
fn check(output: &mut serde_json::Value) {
    let _ = output;
}

fn main() {}
