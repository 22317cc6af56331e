use onionskin::run_hook;

#[run_hook(pre)]
fn check(input: u32) {
    let _ = input;
}

fn main() {}
