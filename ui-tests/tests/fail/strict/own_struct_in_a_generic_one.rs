use onionskin::{Strict, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct City {
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Page<T> {
    items: Vec<T>,
}

/// Tells the weather.
#[tool(strict)]
fn weather(cities: Page<City>) -> usize {
    cities.items.iter().map(|city| city.name.len()).sum()
}

fn main() {}
