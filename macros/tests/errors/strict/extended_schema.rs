use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(extend("x-order" = [1, 2], "not" = { "maxLength": 3 }))]
    what: String,
}

fn main() {}
