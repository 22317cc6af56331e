use onionskin::tool;

/// Takes a photo.
#[tool(external, blocking)]
fn photo() -> String;

fn main() {}
