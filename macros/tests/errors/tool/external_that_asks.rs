use onionskin::tool;

/// Takes a photo.
#[tool(external, asks)]
fn photo() -> String;

fn main() {}
