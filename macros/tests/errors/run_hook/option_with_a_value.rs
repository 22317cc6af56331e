use onionskin::run_hook;

#[run_hook(pre = true)]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
