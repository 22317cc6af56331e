// The names are those of rustc: it says of the module first, and then that a module is no type.
use onionskin::tool;

mod publish {}

/// Publishes.
#[tool]
fn publish(text: String) -> usize {
    text.len()
}

fn main() {}
