use onionskin::tool;

/// A type of the program, which the model cannot fill.
struct Provided;

/// Reads.
#[tool]
fn read(given: Provided) -> bool {
    let _ = given;
    true
}

fn main() {}
