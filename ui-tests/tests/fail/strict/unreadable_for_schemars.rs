// schemars says itself that it cannot read its attribute; that it does is not for us to know.
use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(with = "String", 3)]
    what: u8,
}

fn main() {}
