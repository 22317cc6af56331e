use onionskin::run_hook;

#[run_hook(pre, ignore_eror)]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
