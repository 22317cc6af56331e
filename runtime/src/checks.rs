//! What `agent!` and the builders of agents ask of the types that they are given.
//!
//! The compiler names these traits in its errors. They are implemented where a check holds, and are not for programs to
//! implement or to call.

use crate::spec::ToolSpec;
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

/// What `.tool(..)` takes: a [`ToolSpec`], or what one can be made of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of a tool",
    label = "not a `ToolSpec`, and not a value that can become one",
    note = "for a function with `#[tool]` write `name::spec()`, for a toolbox `.toolbox(..)`, for a hook `.hook(..)`"
)]
pub trait ToolValue {
    #[doc(hidden)]
    fn tool_value(self) -> ToolSpec;
}

#[diagnostic::do_not_recommend]
impl<T: Into<ToolSpec>> ToolValue for T {
    fn tool_value(self) -> ToolSpec {
        self.into()
    }
}
