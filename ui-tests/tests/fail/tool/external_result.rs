use onionskin::tool;

#[derive(serde::Serialize)]
struct Photo {}

/// Takes a photo.
#[tool(external)]
fn photo() -> Photo;

fn main() {}
