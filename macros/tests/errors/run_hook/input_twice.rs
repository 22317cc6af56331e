use onionskin::run_hook;

#[run_hook(pre)]
fn check(input: &str, run_input: &str) {
    let _ = (input, run_input);
}

fn main() {}
