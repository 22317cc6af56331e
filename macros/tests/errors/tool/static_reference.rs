use onionskin::tool;

/// Counts.
#[tool]
async fn count(words: Option<&'static [String]>) -> usize {
    words.map_or(0, <[String]>::len)
}

fn main() {}
