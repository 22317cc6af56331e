use onionskin::tool;

use onionskin::{State, Tool};

/// Counts.
#[tool]
fn count(numbers: State<Vec<u8>>) -> usize {
    numbers.len()
}

fn fits<S, T: Tool<State: onionskin::forms::FitsState<S>>>() {}

fn main() {
    fits::<u8, count>();
}
