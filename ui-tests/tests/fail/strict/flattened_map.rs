use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    id: u32,
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, String>,
}

fn main() {}
