use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Order {
    Book { title: String, extra: Option<serde_json::Value> },
    Nothing,
}

fn main() {}
