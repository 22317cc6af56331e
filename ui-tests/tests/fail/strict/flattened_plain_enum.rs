use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    id: u32,
    #[serde(flatten)]
    unit: Unit,
}

fn main() {}
