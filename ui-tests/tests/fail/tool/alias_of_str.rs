use onionskin::tool;

type Text<'a> = &'a str;

/// Greets.
#[tool]
fn greet(name: Text<'_>) -> String {
    name.to_owned()
}

fn main() {}
