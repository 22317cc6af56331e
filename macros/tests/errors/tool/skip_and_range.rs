use onionskin::tool;

/// Greets.
#[tool]
fn greet(#[arg(skip, range(0..=9))] times: u8) -> u8 {
    times
}

fn main() {}
