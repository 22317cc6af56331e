use onionskin::loader::Registry;

struct Report;

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.output::<Report>());
}
