use onionskin::tool;

/// Shows it.
#[tool]
fn show<T: std::fmt::Debug>(value: T) -> String {
    format!("{value:?}")
}

fn main() {}
