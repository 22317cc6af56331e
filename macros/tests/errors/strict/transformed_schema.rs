use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[schemars(transform = open)]
struct Order {
    what: String,
}

fn open(schema: &mut schemars::Schema) {
    schema.insert("additionalProperties".into(), true.into());
}

fn main() {}
