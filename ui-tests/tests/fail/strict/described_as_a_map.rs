use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(with = "std::collections::BTreeMap<String, u8>")]
    what: Vec<(String, u8)>,
}

fn main() {}
