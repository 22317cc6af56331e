use onionskin::tool;

/// Counts.
#[tool]
fn count(words: &'static str) -> usize {
    words.len()
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [count] } }

fn main() {}
