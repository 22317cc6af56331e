use onionskin::{Tool, tool};

/// Greets.
#[tool(examples = [example(word = "Hello", name = "Ada")])]
fn greet(word: String, #[bind("user.name")] name: String) -> String {
    format!("{word} {name}")
}

fn main() {
    let _ = greet::default().definition();
}
