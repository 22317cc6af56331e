use onionskin::tool;

struct City {
    name: String,
}

/// Tells the weather.
#[tool]
async fn weather(city: City) -> String {
    city.name
}

fn main() {}
