//! Cargo as a test starts it. Tests of other packages include this file.

use std::process::Command;

/// Cargo without what cargo itself sets for the tests of a package. Build scripts, such as ring's, run again when they see other
/// values, and then all that depends on them is built again: here, and in the next build of the workspace.
pub(crate) fn clean_cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}
