use onionskin::run_hook;

#[run_hook(pre)]
fn check(answer: &str) {
    let _ = answer;
}

fn main() {}
