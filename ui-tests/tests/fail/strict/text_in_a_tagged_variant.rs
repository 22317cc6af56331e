use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "kind")]
enum Order {
    Book(Title),
    Nothing,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Title(String);

fn main() {}
