use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(range[min = 1])]
    amount: u8,
}

fn main() {}
