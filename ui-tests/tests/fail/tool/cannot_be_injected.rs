use onionskin::tool;

struct Database;

/// Lists issues.
#[tool]
fn issues(#[inject] database: &Database) -> usize {
    std::mem::size_of_val(database)
}

fn main() {}
