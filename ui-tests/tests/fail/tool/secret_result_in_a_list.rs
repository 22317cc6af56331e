// Two mistakes: one in each tool.
use onionskin::{Secret, tool};

/// Gives the key away.
#[tool]
fn key(#[bind("api.key")] key: Secret<String>) -> Option<Secret<String>> {
    Some(key)
}

/// Gives the keys away.
#[tool]
async fn keys(#[bind("api.key")] key: Secret<String>) -> Result<Vec<Secret<String>>, String> {
    Ok(vec![key])
}

fn main() {}
