use onionskin::tool;

/// Takes a photo.
#[tool(asks = "Ada")]
fn photo() -> String {
    String::new()
}

fn main() {}
