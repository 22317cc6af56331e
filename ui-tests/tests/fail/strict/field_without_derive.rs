use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    street: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    to: Vec<Place>,
}

fn main() {}
