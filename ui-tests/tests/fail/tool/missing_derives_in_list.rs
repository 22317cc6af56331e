use onionskin::tool;

#[derive(schemars::JsonSchema)]
struct City {
    name: String,
}

/// Tells the weather.
#[tool]
fn weather(cities: &[City]) -> String {
    cities[0].name.clone()
}

fn main() {}
