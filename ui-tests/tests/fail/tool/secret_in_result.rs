use onionskin::{Secret, tool};

/// Gives the key away.
#[tool]
async fn key(#[bind("api.key")] key: Secret<String>) -> Result<Secret<String>, std::io::Error> {
    Ok(key)
}

fn main() {}
