use onionskin::run_hook;

#[run_hook(before)]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
