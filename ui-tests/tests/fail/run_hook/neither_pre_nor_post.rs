use onionskin::run_hook;

#[run_hook]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
