use onionskin::{Secret, tool};

#[derive(Clone)]
struct Config {
    key: Secret<String>,
}

/// Gives the key away.
#[tool(state = Config)]
fn key(#[bind(key)] key: Secret<String>) -> Secret<String> {
    key
}

fn main() {}
