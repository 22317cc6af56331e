use std::ffi::OsStr;

use onionskin::tool;

/// Counts.
#[tool]
fn count(name: &OsStr) -> usize {
    name.len()
}

fn main() {}
