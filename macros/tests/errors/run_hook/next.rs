use onionskin::{Next, run_hook};

#[run_hook(pre)]
async fn check(input: &str, next: impl Next) {
    let _ = (input, next);
}

fn main() {}
