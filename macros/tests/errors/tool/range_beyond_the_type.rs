// Each range is one mistake.
use onionskin::tool;

/// Orders.
#[tool]
fn order(
    #[arg(range(1..=300))] count: u8,
    #[arg(range(-1..))] boxes: Option<u32>,
    #[arg(range(0.5..=2.5))] steps: i64,
    // All that it holds.
    #[arg(range(0..256))] digits: u8,
) {
    let _ = (count, boxes, steps, digits);
}

fn main() {}
