use onionskin::run_hook;

#[run_hook(post)]
fn check(answer: &str) -> impl Into<String> {
    answer.len().to_string()
}

fn main() {}
