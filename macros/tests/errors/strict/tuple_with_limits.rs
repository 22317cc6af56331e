use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Point(f64, #[schemars(range(min = 0))] f64);

fn main() {}
