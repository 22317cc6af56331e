use onionskin::tool;

/// Takes a photo.
#[tool(component = "Camera")]
fn photo() -> String {
    String::new()
}

fn main() {}
