use onionskin::tool;

/// Takes a photo.
#[tool(external)]
fn photo() -> Result<String, String>;

fn main() {}
