use onionskin::tool;

struct Key(String);

struct Keys {
    door: Key,
}

#[derive(Clone)]
struct Ledger {
    keys: std::sync::Arc<Keys>,
}

/// Opens.
#[tool(state = Ledger)]
fn open(#[bind(keys.door)] key: Key) -> usize {
    key.0.len()
}

fn main() {}
