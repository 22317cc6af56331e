use onionskin::tool;

use onionskin::State;

/// Counts.
#[tool]
fn count(numbers: State<Vec<u8>>, words: State<Vec<String>>) -> usize {
    numbers.len() + words.len()
}

fn main() {}
