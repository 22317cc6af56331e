use onionskin::tool;

mod limits {
    pub const MOST: u32 = 0;
}

/// Adds one.
#[tool(max_calls = limits::MOST)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = add_one::spec();
}
