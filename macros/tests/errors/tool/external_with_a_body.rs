use onionskin::tool;

/// Takes a photo.
#[tool(external)]
fn photo() -> String {
    String::new()
}

fn main() {}
