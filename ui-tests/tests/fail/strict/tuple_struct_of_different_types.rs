use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Pair(i64, String);

fn main() {}
