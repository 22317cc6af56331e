//! The cases are in `tests/`: programs that compile, and programs that do not, with all that the compiler says of them.
//!
//! Cases whose errors our macros write alone are in `macros/tests/errors`: they are tested without the compiler.
