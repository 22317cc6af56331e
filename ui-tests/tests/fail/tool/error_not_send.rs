use std::error::Error;

use onionskin::tool;

/// Looks it up.
#[tool]
async fn look_up(name: String) -> Result<String, Box<dyn Error>> {
    Ok(name)
}

fn main() {}
