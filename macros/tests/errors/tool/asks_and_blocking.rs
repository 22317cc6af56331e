use onionskin::tool;

/// Counts.
#[tool(asks, blocking)]
fn count() -> u32 {
    1
}

fn main() {}
