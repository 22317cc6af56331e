//! Fields that cannot be strict.
use std::collections::BTreeMap;

use onionskin::Strict;

//~ described as a map
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(with = "std::collections::BTreeMap<String, u8>")]
    what: Vec<(String, u8)>,
}

//~ described as a map by a macro
macro_rules! order {
    ($with:literal) => {
        #[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
        struct ByMacro {
            #[schemars(with = $with)]
            what: String,
        }
    };
}

order!("std::collections::BTreeMap<String, u8>");

//~ field map
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Basket {
    owner: String,
    pieces: std::collections::HashMap<String, u32>,
}

//~ field without derive
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    street: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Parcel {
    to: Vec<Place>,
}

//~ read from a map
#[derive(Clone, serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(from = "BTreeMap<String, u8>")]
struct FromMap {
    count: usize,
}

impl From<BTreeMap<String, u8>> for FromMap {
    fn from(all: BTreeMap<String, u8>) -> Self {
        Self { count: all.len() }
    }
}

//~ tuple struct of different types
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Pair(i64, String);

//~ tuple variant of different types
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Change {
    Set(i64, i64, Option<i64>),
    Drop,
}

fn main() {}
