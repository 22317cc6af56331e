//! Default values of parameters.
use onionskin::tool;

//~ a fraction for an integer
/// Adds one.
#[tool]
fn add_one(#[arg(default = 1.5)] x: i64) -> i64 { x + 1 }

//~ a type without `Default`
#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    Celsius,
    Kelvin,
}

/// Tells the weather.
#[tool]
fn weather(#[arg(default)] unit: Unit) -> bool { matches!(unit, Unit::Celsius | Unit::Kelvin) }

//~ a text for a number
/// Adds one.
#[tool]
fn text_default_for_number(#[arg(default = "five")] x: i64) -> i64 { x + 1 }

//~ a text for an enum
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Part {
    Patch,
    Minor,
}

/// Raises the version.
#[tool]
fn raise(#[arg(default = "patch")] part: Part) -> bool { matches!(part, Part::Minor) }

fn main() {}
