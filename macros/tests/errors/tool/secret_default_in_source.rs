use onionskin::{Secret, tool};

/// Asks.
#[tool]
fn ask(#[bind("api.key", default = "hunter2")] key: Secret<String>) -> usize {
    key.expose().len()
}

fn main() {}
