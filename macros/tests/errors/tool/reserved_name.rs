use onionskin::tool;

/// Reads text.
#[tool]
fn str(text: String) -> String {
    text
}

fn main() {}
