use onionskin::tool;

/// Takes a photo.
#[tool(external, timeout = "5s")]
fn photo() -> String;

fn main() {}
