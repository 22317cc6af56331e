use onionskin::tool;

/// Shows it.
#[tool]
fn show(value: &dyn std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn main() {}
