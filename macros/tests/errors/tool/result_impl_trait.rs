use onionskin::tool;

/// Counts.
#[tool]
fn count() -> impl Iterator<Item = u8> {
    0..3
}

fn main() {}
