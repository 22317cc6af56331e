use onionskin::tool;

type Text = &'static str;

/// Greets.
#[tool]
fn greet(name: Text) -> String {
    name.to_owned()
}

fn main() {}
