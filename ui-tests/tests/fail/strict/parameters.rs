//! Parameters that cannot be strict.
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use onionskin::{Strict, tool, toolbox};

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct City {
    name: String,
}

//~ a struct that borrows, without `Strict`
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query<'a> {
    words: Cow<'a, str>,
}

/// Searches.
#[tool(strict)]
fn search(query: Query<'_>) -> usize { query.words.len() }

//~ an empty array
/// Takes nothing.
#[tool(strict)]
fn nothing(all: [u8; 0]) -> usize { all.len() }

//~ a map
/// Adds up.
#[tool(strict)]
fn tally(counts: HashMap<String, u32>) -> u32 { counts.values().sum() }

//~ a map in a generic struct
/// Takes.
#[onionskin::tool(strict)]
fn take(page: Page<std::collections::BTreeMap<String, u8>>) -> usize { page.items.len() }

//~ a map in a list
/// Adds up.
#[tool(strict)]
fn map_in_a_list(name: &str, counts: &[BTreeMap<String, u32>]) -> usize {
    name.len() + counts.len()
}

//~ a map as a parameter of a method
struct Stock;

#[toolbox]
impl Stock {
    /// Adds up.
    #[tool(strict)]
    fn tally(&self, counts: HashMap<String, u32>) -> u32 {
        counts.values().sum()
    }
}

//~ a tuple of different types
/// Sets a value.
#[tool(strict)]
fn set(pair: (String, i64)) -> i64 { pair.1 }

//~ a struct without `Strict`
/// Tells the weather.
#[tool(strict)]
fn weather(city: City) -> usize { city.name.len() }

//~ a struct without `Strict` in a generic struct
/// Tells the weather.
#[tool(strict)]
fn own_struct_in_a_generic_one(cities: Page<City>) -> usize {
    cities.items.iter().map(|city| city.name.len()).sum()
}

//~ a tuple of different types, without imports
/// Takes.
#[onionskin::tool(strict)]
fn parameter_of_different_types(pair: (u8, String)) -> usize { pair.1.len() }

fn main() {}
