//! The parameter and return types of typed hooks.

use std::future::Future;

use onionskin_definitions::error::ToolResult;

/// The return type of a typed hook: the result of its tool, of the type `T`.
#[diagnostic::on_unimplemented(
    message = "a typed hook returns what its tool does, `ToolResult<{T}>`, and not `{Self}`",
    label = "write `ToolResult<{T}>` here",
    note = "return the result of `next.run(args).await`, or an answer of your own: `Ok(..)`"
)]
pub trait TypedReturn<T>: Sized {
    /// Returns the hook's own future, as in [`AroundReturn`].
    #[doc(hidden)]
    type Held<F: Future<Output = Self>>: Future<Output = ToolResult<T>>;

    #[doc(hidden)]
    fn hold<F: Future<Output = Self>>(hook: F) -> Self::Held<F>;
}

#[diagnostic::do_not_recommend]
impl<T> TypedReturn<T> for ToolResult<T> {
    type Held<F: Future<Output = Self>> = F;

    #[inline]
    fn hold<F: Future<Output = Self>>(hook: F) -> F {
        hook
    }
}

/// The arguments that a typed hook takes: those of its tool.
#[diagnostic::on_unimplemented(
    message = "a typed hook takes the arguments of its tool, not `{Self}`",
    label = "write `ArgsOf<..>` with the tool's name"
)]
pub trait TypedArgs<A> {
    #[doc(hidden)]
    fn give(args: A) -> Self;
}

#[diagnostic::do_not_recommend]
impl<A> TypedArgs<A> for A {
    #[inline]
    fn give(args: A) -> A {
        args
    }
}
