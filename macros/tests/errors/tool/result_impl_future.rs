use onionskin::tool;

/// Counts.
#[tool]
fn count() -> impl Future<Output = u8> {
    async { 3 }
}

fn main() {}
