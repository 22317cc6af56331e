use onionskin::{Secret, tool};

type Key = Secret<String>;

/// Gives the key away.
#[tool]
fn key(#[bind("api.key")] key: Secret<String>) -> Key {
    key
}

fn main() {}
