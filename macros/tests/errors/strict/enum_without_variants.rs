use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Never {}

fn main() {}
