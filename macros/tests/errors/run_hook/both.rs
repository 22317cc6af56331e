use onionskin::run_hook;

#[run_hook(pre, post)]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
