use onionskin::{Secret, tool};

#[derive(Clone)]
struct Config {
    key: Secret<String>,
}

/// Asks.
#[tool(state = Config)]
fn ask(#[bind(key)] key: &str) -> usize {
    key.len()
}

fn main() {}
