use onionskin::{Progress, run_hook};

#[run_hook(pre)]
fn check(input: &str, progress: Progress) {
    let _ = (input, progress);
}

fn main() {}
