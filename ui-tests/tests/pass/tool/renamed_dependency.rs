
/// Another crate of that name.
mod onionskin {}

/// Adds one.
#[peel::tool(crate = ::peel)]
async fn add_one(x: i64, cx: &peel::ToolContext) -> i64 {
    let _ = cx;
    x + 1
}

pub(crate) fn main() {
    assert_eq!(<add_one as peel::Tool>::NAME, "add_one");
}
