use onionskin::loader::Registry;

pub fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool::<add_one>());
}
