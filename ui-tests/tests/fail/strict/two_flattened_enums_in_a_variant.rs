use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "shape")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Wrapped {
    #[serde(flatten)]
    shape: Shape,
}

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
enum Thing {
    Both {
        #[serde(flatten)]
        one: Wrapped,
        #[serde(flatten)]
        other: Box<Shape>,
    },
    Nothing,
}

fn main() {}
