use onionskin::tool;

/// Applies it.
#[tool]
fn apply(change: Box<dyn Fn(i64) -> i64>) -> i64 {
    change(1)
}

fn main() {}
