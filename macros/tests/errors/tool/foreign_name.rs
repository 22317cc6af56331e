use onionskin::tool;

/// Measures.
#[tool]
fn größe(x: i64) -> i64 {
    x
}

fn main() {}
