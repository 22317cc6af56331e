use onionskin::tool;

/// Takes a photo.
#[tool(external = "phone")]
fn photo() -> String;

fn main() {}
