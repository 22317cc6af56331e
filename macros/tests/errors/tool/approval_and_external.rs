use onionskin::tool;

/// Takes a photo.
#[tool(approval, external)]
fn photo() -> String;

fn main() {}
