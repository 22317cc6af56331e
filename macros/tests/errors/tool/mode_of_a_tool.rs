use onionskin::tool;

/// Takes a photo.
#[tool(mode = inline)]
fn photo() -> String {
    String::new()
}

fn main() {}
