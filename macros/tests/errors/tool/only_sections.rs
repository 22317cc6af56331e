use onionskin::tool;

/// # Arguments
/// * `x` - the number
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
