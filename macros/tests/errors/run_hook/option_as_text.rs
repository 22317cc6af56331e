use onionskin::run_hook;

#[run_hook("pre")]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
