use onionskin::tool;

/// Counts words.
#[tool]
fn count(words: &[&str]) -> usize {
    words.len()
}

fn main() {}
