use onionskin::tool;

/// Tells the weather.
#[tool]
fn weather(city: Ctiy) -> String {
    city.name
}

fn main() {}
