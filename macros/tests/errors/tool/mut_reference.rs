use onionskin::tool;

/// Sorts.
#[tool]
fn sort(list: &mut Vec<i64>) -> Vec<i64> {
    list.sort();
    list.clone()
}

fn main() {}
