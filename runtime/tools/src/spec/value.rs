//! Values that `.tool(..)` accepts.

use super::toolspec::ToolSpec;

/// A type that `.tool(..)` accepts: a [`ToolSpec`], or a type that converts to one.
///
/// Programs do not implement it: they implement `From<T>` for [`ToolSpec`].
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
