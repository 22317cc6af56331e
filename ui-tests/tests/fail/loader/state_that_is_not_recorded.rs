use onionskin::loader::Registry;
use onionskin::loader::StateParts;

#[derive(Clone)]
struct Ledger;

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.state_with::<Ledger>(StateParts::recorded));
}
