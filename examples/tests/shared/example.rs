//! Examples, run as a user runs them.

use std::process::Command;

/// What the example prints.
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}\n{shown}", String::from_utf8_lossy(&output.stderr));
    shown
}
