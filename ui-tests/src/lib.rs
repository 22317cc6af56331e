//! The cases are in `tests/`:
//!
//! - `pass/<macro>/<case>.rs`: programs that compile, and what they do. `cargo test -p onionskin-ui-tests --test pass` runs
//!   them; a part of `<macro>/<case>` behind `--` selects some.
//! - `fail/<macro>/<case>.rs`: programs that do not compile, and beside each the words of the compiler, `<case>.stderr`.
//!   `cargo test -p onionskin-ui-tests --test fail` compares them; `ONIONSKIN_CASE=<macro>/<case>`, or a part of it, selects
//!   some, and `ONIONSKIN_BLESS=1` writes the `.stderr` files.
//! - `features.rs`: programs that need a package of their own.
//!
//! Cases whose errors our macros write alone are in `macros/tests/errors`: they are tested without the compiler, in a second.
//! With `-- --ignored` the test `fail` compares them with the compiler too.
