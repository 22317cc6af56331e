use onionskin::tool;

#[tool(descripton = "Adds one.")]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = add_one {};
    println!("{}", add_one(1));
}
