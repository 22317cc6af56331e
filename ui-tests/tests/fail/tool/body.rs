use onionskin::tool;

/// Adds one.
#[tool]
async fn add_one(x: i64) -> String {
    x + 1
}

fn main() {}
