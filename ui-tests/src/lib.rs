//! The cases are in `tests/`:
//!
//! - `pass/<macro>/<case>.rs`: programs that compile, and what they do. `cargo test -p onionskin-ui-tests --test pass` runs
//!   them; a part of `<macro>/<case>` behind `--` selects some.
//! - `fail/<macro>/<subject>.rs`: programs that do not compile, and beside each the words of the compiler, `<subject>.stderr`.
//!   A program has the cases of one subject; `//~` says what is wrong with the lines below it.
//!   `cargo test --workspace --test fail` compares them with trybuild; `-- a2_tool trybuild=<subject>` selects some, and
//!   `TRYBUILD=overwrite` writes the `.stderr` files.
//! - `single/`: a realistic program, and pages of single mistakes in it, each a diff beside the words of the compiler.
//! - `features.rs` and `rebuild.rs`: programs that need a package of their own.
//!
//! Cases whose errors our macros write alone are on pages of `macros/tests/errors`: they are tested without the compiler, in a second. The
//! test `fail` compares them with the compiler too.

mod clean_cargo;
mod package;

use std::path::Path;
use std::process::Command;

use clean_cargo::clean_cargo;
pub use package::{Package, Said};

/// Cargo for a package that a test writes, offline and without color. Its words and what it builds depend on no flags for rustc that a
/// person has set, in the environment or in a file of cargo's.
///
/// `tmp` is the test's `CARGO_TARGET_TMPDIR`. Dependencies are built in the folder above it, where most of them are built already.
pub fn cargo(tmp: &str, command: &str) -> Command {
    let mut cargo = clean_cargo();
    cargo
        .args([command, "--offline", "--quiet", "--color=never"])
        .env("CARGO_TARGET_DIR", Path::new(tmp).parent().unwrap_or(Path::new(tmp)))
        // It comes before `RUSTFLAGS` and the files, also when it is empty.
        .env("CARGO_ENCODED_RUSTFLAGS", "");
    cargo
}
