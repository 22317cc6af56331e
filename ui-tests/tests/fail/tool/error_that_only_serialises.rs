use onionskin::tool;

#[derive(serde::Serialize)]
struct Broken;

/// Reports.
#[tool]
fn report(lines: &str) -> Result<String, Broken> {
    if lines.is_empty() { Err(Broken) } else { Ok(lines.to_owned()) }
}

fn main() {}
