// Each default, or example, is one mistake.
use onionskin::tool;

/// Orders.
#[tool]
fn order(
    #[arg(range(1..=10), default = 0)] count: u8,
    #[arg(range(1..), default)] boxes: u32,
    #[arg(range(-2.5..2.5), default = 2.5)] degrees: f64,
    #[arg(length(..=2), default = "abc")] code: &str,
    #[arg(pattern = "^[a-z]+$", default = "A1")] word: String,
    #[arg(length(1..), default)] lines: Vec<String>,
    #[arg(range(0..=9), example = 10)] digit: Option<u8>,
) {
    let _ = (count, boxes, degrees, code, word, lines, digit);
}

fn main() {}
