use onionskin::tool;

/// Greets.
#[tool]
fn greet(#[arg(length(-1..))] name: &str) -> String {
    name.to_owned()
}

fn main() {}
