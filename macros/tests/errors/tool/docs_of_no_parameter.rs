use onionskin::tool;

/// Tells the weather.
///
/// # Arguments
/// * `ctiy` - where
#[tool]
fn weather(city: &str, day: u8) -> String {
    format!("{city} {day}")
}

fn main() {}
