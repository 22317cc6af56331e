use onionskin::tool;

/// Shows it.
#[tool]
fn show(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn main() {}
