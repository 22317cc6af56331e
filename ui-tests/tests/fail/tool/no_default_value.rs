use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    Celsius,
    Kelvin,
}

/// Tells the weather.
#[tool]
fn weather(#[arg(default)] unit: Unit) -> bool {
    matches!(unit, Unit::Celsius | Unit::Kelvin)
}

fn main() {}
