use onionskin::{Secret, tool};

/// Asks.
#[tool]
fn ask(question: String, key: Secret<String>) -> String {
    format!("{question} {}", key.expose().len())
}

fn main() {}
