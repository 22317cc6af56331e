// The errors are rustc's own: first for the module, and then because a module is not a type.
use onionskin::tool;

mod publish {}

/// Publishes.
#[tool]
fn publish(text: String) -> usize {
    text.len()
}

fn main() {}
