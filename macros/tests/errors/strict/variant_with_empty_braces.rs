use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Order {
    Book(String),
    Nothing {},
}

fn main() {}
