use onionskin::tool;

fn audit() {}

struct Audit;

/// Adds one.
#[tool(hooks = [Audit])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    audit();
    let _ = Audit;
}
