//! What cannot be flattened into a strict object.
use onionskin::Strict;

//~ a map
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct WithMap {
    id: u32,
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, String>,
}

//~ an enum without fields
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct WithUnit {
    id: u32,
    #[serde(flatten)]
    unit: Unit,
}

//~ a text in a tagged variant
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "kind")]
enum Order {
    Book(Title),
    Nothing,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Title(String);

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "shape")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "colour")]
enum Colour {
    Named { name: String },
    Mixed { red: u8, green: u8, blue: u8 },
}

//~ two enums
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Thing {
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    colour: Colour,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Wrapped {
    #[serde(flatten)]
    shape: Shape,
}

//~ two enums in a variant
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum InAVariant {
    Both {
        #[serde(flatten)]
        one: Wrapped,
        #[serde(flatten)]
        other: Box<Shape>,
    },
    Nothing,
}

fn main() {}
