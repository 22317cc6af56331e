use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[strict(crate = "onionskin")]
struct Order {
    what: String,
}

fn main() {}
