use onionskin::{declaration::AgentDeclaration, tool};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = AgentDeclaration::new().tool(add_one);
}
