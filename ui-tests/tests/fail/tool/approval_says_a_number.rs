use onionskin::{Args, tool};

fn large(args: &Args) -> usize {
    args.text().len()
}

/// Adds one.
#[tool(approval = large)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
