use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Nothing {
    #[serde(skip)]
    count: u8,
}

fn main() {}
