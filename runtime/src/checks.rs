//! What `agent!` asks of the types that it names.
//!
//! The compiler names these traits in its errors. They are implemented where a check holds, and are not for programs to
//! implement or to call.

use crate::tool::Toolbox;

/// A toolbox that has the tool method that a filter names: `audit for [Stock::put]`.
#[diagnostic::on_unimplemented(
    message = "the toolbox `{Self}` has no such tool",
    label = "not a method with `#[tool]`",
    note = "name a method of `{Self}` that is a tool, or `{Self}` alone for all of its tools"
)]
pub trait HasToolMethod<const HAS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: Toolbox> HasToolMethod<true> for T {}
