/// Adds one.
#[onionskin::tool]
fn add_one(x: Vec<) -> i64 {
    1
}

fn main() {}
