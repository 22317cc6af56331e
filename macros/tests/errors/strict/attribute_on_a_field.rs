use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[strict(skip)]
    what: String,
}

fn main() {}
