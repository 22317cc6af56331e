// The hook's type is used in four places (its configuration, its state, its kind, its call), and rustc says the same
// of each: no bound that all of them share can be checked first.
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
