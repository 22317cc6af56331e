// Each parameter is one mistake.
use onionskin::tool;

/// Greets.
#[tool]
fn greet(
    #[bind("")] nothing: String,
    #[bind("user..name")] double: String,
    #[bind(".user", default = "x")] first: String,
    #[bind("user.")] last: String,
) -> String {
    format!("{nothing}{double}{first}{last}")
}

fn main() {}
