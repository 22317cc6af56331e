use onionskin::tool;

/// Takes nothing.
#[tool(strict)]
fn nothing(all: [u8; 0]) -> usize {
    all.len()
}

fn main() {}
