use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Change {
    Set(i64, i64, Option<i64>),
    Drop,
}

fn main() {}
