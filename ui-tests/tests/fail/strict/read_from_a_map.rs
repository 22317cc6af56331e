use onionskin::Strict;

use std::collections::BTreeMap;

#[derive(Clone, serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(from = "BTreeMap<String, u8>")]
struct Order {
    count: usize,
}

impl From<BTreeMap<String, u8>> for Order {
    fn from(all: BTreeMap<String, u8>) -> Self {
        Self { count: all.len() }
    }
}

fn main() {}
