use onionskin::loader::Registry;

struct Ledger;

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.state::<Ledger>());
}
