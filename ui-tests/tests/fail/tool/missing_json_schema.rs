use onionskin::tool;

#[derive(serde::Deserialize)]
struct City {
    name: String,
}

/// Tells the weather.
#[tool]
fn weather(day: u8, city: Option<City>) -> String {
    format!("{day} {:?}", city.map(|city| city.name))
}

fn main() {}
