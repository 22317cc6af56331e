use onionskin::tool;

/// Counts.
#[tool]
fn count(
    #[inject]
    #[arg(default = 5)]
    x: u8,
) -> u8 {
    x
}

fn main() {}
