//! A tool whose function has the name of another one.

/// Runs twice.
#[onionskin::tool]
pub fn run(text: &str) -> String {
    text.repeat(2)
}
