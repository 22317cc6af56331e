use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Basket {
    owner: String,
    pieces: std::collections::HashMap<String, u32>,
}

fn main() {}
