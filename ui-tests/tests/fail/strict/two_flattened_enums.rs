use onionskin::Strict;

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

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Thing {
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    colour: Colour,
}

fn main() {}
