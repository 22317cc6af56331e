//! Fields that cannot be strict.
use std::collections::BTreeMap;

use onionskin::Strict;

//~ a field that is described as a map
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Order {
    #[schemars(with = "std::collections::BTreeMap<String, u8>")]
    what: Vec<(String, u8)>,
}

//~ a field that a macro describes as a map
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

//~ a map
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Basket {
    owner: String,
    pieces: std::collections::HashMap<String, u32>,
}

//~ a type without `Strict`
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    street: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Parcel {
    to: Vec<Place>,
}

//~ a type that is read from a map
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

//~ a tuple struct of different types
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Pair(i64, String);

//~ a tuple variant of different types
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Change {
    Set(i64, i64, Option<i64>),
    Drop,
}

fn main() {}
