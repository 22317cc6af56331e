use onionskin::tool;

struct Broken;

/// Reports.
#[tool]
fn report() -> Result<String, Broken> {
    Err(Broken)
}

fn main() {}
