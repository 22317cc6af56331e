use onionskin::run_hook;

struct Desk;

#[run_hook(pre)]
fn check(input: &str, desk: Desk) {
    let _ = (input, desk);
}

fn main() {}
