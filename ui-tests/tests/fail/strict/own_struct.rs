use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct City {
    name: String,
}

/// Tells the weather.
#[tool(strict)]
fn weather(city: City) -> usize {
    city.name.len()
}

fn main() {}
