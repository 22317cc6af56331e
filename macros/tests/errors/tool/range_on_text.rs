use onionskin::tool;

/// Greets.
#[tool]
fn greet(#[arg(range(1..=80))] name: &str) -> String {
    name.to_owned()
}

fn main() {}
