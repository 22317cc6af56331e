//! The return types of before and after hooks.

use std::future::Future;

use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::output::ToolOutput;

/// A type that a before hook can return: nothing, or an answer in place of the call; either may fail.
#[diagnostic::on_unimplemented(
    message = "a before hook cannot return `{Self}`",
    label = "not a before hook's result",
    note = "return `()`, `Result<(), E>` to refuse the call, or `Result<Option<ToolOutput>, E>` to answer instead of the \
            tool, where `E` is an error or a text for the model, or an `Exit`; with `next: impl Next` it is an around hook and \
            returns `ToolResult`"
)]
pub trait BeforeReturn {
    #[doc(hidden)]
    fn answer(self) -> Result<Option<ToolOutput>, Exit>;
}

#[diagnostic::do_not_recommend]
impl BeforeReturn for () {
    fn answer(self) -> Result<Option<ToolOutput>, Exit> {
        Ok(None)
    }
}

#[diagnostic::do_not_recommend]
impl BeforeReturn for Option<ToolOutput> {
    fn answer(self) -> Result<Option<ToolOutput>, Exit> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: BeforeReturn, E: Into<Exit>> BeforeReturn for Result<T, E> {
    fn answer(self) -> Result<Option<ToolOutput>, Exit> {
        self.map_err(Into::into)?.answer()
    }
}

/// A type that an after hook can return if it borrows the result: nothing, or a new result.
#[diagnostic::on_unimplemented(
    message = "an after hook that borrows the result cannot return `{Self}`",
    label = "not an after hook's result",
    note = "return `()` or `Result<(), E>` to leave the result as it is, `ToolOutput` or `Result<ToolOutput, E>` to replace \
            it, where `E` is an error or a text for the model, or an `Exit`"
)]
pub trait AfterReturn {
    /// The result of the hook, given the result from inside.
    #[doc(hidden)]
    fn replace(self, inner: ToolResult) -> ToolResult;
}

/// A type that an after hook can return if it takes the result by value: the result of the hook.
#[diagnostic::on_unimplemented(
    message = "an after hook that takes the result by value cannot return `{Self}`",
    label = "the result would be lost",
    note = "return `ToolOutput` or `ToolResult`, or borrow the result: `result: &mut ToolResult`, `output: &mut ToolOutput`"
)]
pub trait AfterOwned {
    #[doc(hidden)]
    fn give(self) -> ToolResult;
}

/// A type of an after hook's `result` or `output` parameter: the whole result, or the output of a successful call.
#[diagnostic::on_unimplemented(
    message = "an after hook cannot take the result as `{Self}`",
    label = "not a result of a call",
    note = "write `ToolResult` (it also sees errors) or `ToolOutput` (calls that failed pass by), by value, `&` or `&mut`"
)]
pub trait AfterTarget: Sized {
    /// The part for the hook, or the result that bypasses it.
    #[doc(hidden)]
    fn take(result: ToolResult) -> Result<Self, ToolResult>;

    #[doc(hidden)]
    fn put(self) -> ToolResult;
}

/// Implements the three traits of a function that sees a result: of what it returns if it borrows the result, of what it
/// returns if it owns the result, and of the result's own type. After hooks and output guardrails have traits of their
/// own, so that the compiler's words name what the user wrote.
macro_rules! sees_results {
    ($borrows:ident, $owns:ident, $result:ident) => {
        #[diagnostic::do_not_recommend]
        impl $borrows for () {
            fn replace(self, inner: ToolResult) -> ToolResult {
                inner
            }
        }

        #[diagnostic::do_not_recommend]
        impl $borrows for ToolOutput {
            fn replace(self, _: ToolResult) -> ToolResult {
                Ok(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $borrows, E: Into<Exit>> $borrows for Result<T, E> {
            fn replace(self, inner: ToolResult) -> ToolResult {
                self.map_err(Into::into)?.replace(inner)
            }
        }

        #[diagnostic::do_not_recommend]
        impl $owns for ToolOutput {
            fn give(self) -> ToolResult {
                Ok(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<E: Into<Exit>> $owns for Result<ToolOutput, E> {
            fn give(self) -> ToolResult {
                self.map_err(Into::into)
            }
        }

        #[diagnostic::do_not_recommend]
        impl $result for ToolResult {
            fn take(result: ToolResult) -> Result<Self, ToolResult> {
                Ok(result)
            }

            fn put(self) -> ToolResult {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl $result for ToolOutput {
            fn take(result: ToolResult) -> Result<Self, ToolResult> {
                result.map_err(Err)
            }

            fn put(self) -> ToolResult {
                Ok(self)
            }
        }
    };
}

pub(crate) use sees_results;

sees_results!(AfterReturn, AfterOwned, AfterTarget);

/// The return type of an around hook.
#[diagnostic::on_unimplemented(
    message = "an around hook returns `ToolResult`, not `{Self}`",
    label = "write `ToolResult` here",
    note = "return the result of `next.run(args).await`, or an answer of your own: `Ok(ToolOutput::text(\"..\"))`"
)]
pub trait AroundReturn: Sized {
    /// Returns the hook's own future. Only its type is checked here, so that a wrong type is reported once.
    #[doc(hidden)]
    type Held<F: Future<Output = Self>>: Future<Output = ToolResult>;

    #[doc(hidden)]
    fn hold<F: Future<Output = Self>>(hook: F) -> Self::Held<F>;
}

#[diagnostic::do_not_recommend]
impl AroundReturn for ToolResult {
    type Held<F: Future<Output = Self>> = F;

    #[inline]
    fn hold<F: Future<Output = Self>>(hook: F) -> F {
        hook
    }
}
