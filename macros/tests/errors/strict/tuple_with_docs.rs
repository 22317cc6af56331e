use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Point(
    /// To the right.
    f64,
    f64,
);

fn main() {}
