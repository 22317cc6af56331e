use onionskin::run_hook;

#[run_hook(post)]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
