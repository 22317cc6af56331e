// That the type lives longer than the arguments is found by the borrow checker, which takes no words of ours.
use onionskin::tool;

type Text = &'static str;

/// Greets.
#[tool]
fn greet(name: Text) -> String {
    name.to_owned()
}

fn main() {}
