// Each number is one mistake. Numbers that become values of the program are refused by rustc itself.
use onionskin::tool;

/// Waits.
#[tool(timeout = 30s)]
fn wait() {}

/// Waits.
#[tool(timeout = 30ms, max_calls = 3k, cache(ttl = 5d, capacity = 1k))]
fn wait_again() {}

/// Counts.
#[tool]
fn count(#[arg(range(0..=10k))] x: u32, #[arg(length(1k..))] words: String) {
    let _ = (x, words);
}

fn main() {}
