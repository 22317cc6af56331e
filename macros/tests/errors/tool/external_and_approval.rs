use onionskin::tool;

/// Takes a photo.
#[tool(external, effect = once, approval = large)]
fn photo() -> String;

fn main() {}
