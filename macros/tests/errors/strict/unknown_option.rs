use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[strict(krate = onionskin)]
struct Order {
    what: String,
}

fn main() {}
