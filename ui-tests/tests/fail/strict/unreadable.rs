// serde and schemars say themselves that they cannot read their attributes; that they do is not for us to know.
use onionskin::Strict;

//~ for schemars
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(with = "String", 3)]
    what: u8,
}

//~ for serde
#[derive(serde::Deserialize, Strict)]
struct Parcel {
    #[serde(default 3)]
    what: u8,
}

fn main() {}
