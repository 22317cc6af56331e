use onionskin::run_hook;

#[run_hook(pre)]
fn check(input: &str) -> bool {
    input.is_empty()
}

fn main() {}
