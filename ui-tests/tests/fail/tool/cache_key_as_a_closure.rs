use onionskin::{Args, tool};

/// Pays.
#[tool(cache(key = |args: &Args| args["cents"].to_string()))]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
