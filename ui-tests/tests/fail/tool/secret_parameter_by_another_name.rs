use onionskin::{Secret, tool};

type Key = Secret<String>;

/// Asks.
#[tool]
async fn ask(question: &str, key: &Key) -> String {
    format!("{question} {}", key.expose().len())
}

fn main() {}
