use onionskin::tool;

#[tool(description = Adds one)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
