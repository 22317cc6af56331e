use onionskin::{Args, tool};

fn by_x(args: &Args) -> u64 {
    args.text().len() as u64
}

/// Adds one.
#[tool(cache(key = by_x))]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
