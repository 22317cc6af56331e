/// Adds one.
#[onionskin::tool]
fn add_one(x: i64) -> i64 {
    x +
}

fn main() {
    let _ = add_one(1);
}
