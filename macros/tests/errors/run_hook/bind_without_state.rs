use onionskin::run_hook;

#[run_hook(pre)]
fn check(input: &str, #[bind(user.name)] name: &str) {
    let _ = (input, name);
}

fn main() {}
