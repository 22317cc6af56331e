use onionskin::run_hook;

#[run_hook(post)]
fn check(answer: &serde_json::Value) {
    let _ = answer;
}

fn main() {}
