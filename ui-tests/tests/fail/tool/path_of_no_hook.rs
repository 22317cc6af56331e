use onionskin::tool;

mod audits {
    pub struct Audit;
}

/// Adds one.
#[tool(hooks = [audits::Audit])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = audits::Audit;
}
