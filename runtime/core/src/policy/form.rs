//! What guardrails take and return.

use crate::args::Args;
use crate::error::{Exit, ToolResult};
use crate::output::ToolOutput;

/// What an input guardrail can return: nothing, or the arguments that stand in for the ones it saw; either may be refused.
#[diagnostic::on_unimplemented(
    message = "an input guardrail cannot return `{Self}`",
    label = "not an input guardrail's result",
    note = "return `()`, or `Result<(), E>` to refuse the call, where `E` is an error or a text, which the model is told; \
            arguments are rewritten through `args: &mut Args`, or by returning `Args`"
)]
pub trait InputReturn {
    /// Puts what was returned in place of the arguments.
    ///
    /// # Errors
    /// If the call is refused.
    #[doc(hidden)]
    fn settle(self, args: &mut Args) -> ToolResult<()>;
}

#[diagnostic::do_not_recommend]
impl InputReturn for () {
    fn settle(self, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl InputReturn for Args {
    fn settle(self, args: &mut Args) -> ToolResult<()> {
        *args = self;
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<T: InputReturn, E: Into<Exit>> InputReturn for Result<T, E> {
    fn settle(self, args: &mut Args) -> ToolResult<()> {
        self.map_err(Into::into)?.settle(args)
    }
}

/// What an output guardrail that borrows the output can return: nothing, or the output that stands in for it; either may be
/// refused.
#[diagnostic::on_unimplemented(
    message = "an output guardrail that borrows the output cannot return `{Self}`",
    label = "not an output guardrail's result",
    note = "return `()`, or `Result<(), E>` to withhold the output, where `E` is an error or a text, which the model is told \
            instead; it is rewritten through `output: &mut ToolOutput`, or by returning a `ToolOutput`"
)]
pub trait OutputReturn {
    /// The result that goes outwards, given the one that was borrowed.
    #[doc(hidden)]
    fn replace(self, inner: ToolResult) -> ToolResult;
}

#[diagnostic::do_not_recommend]
impl OutputReturn for () {
    fn replace(self, inner: ToolResult) -> ToolResult {
        inner
    }
}

#[diagnostic::do_not_recommend]
impl OutputReturn for ToolOutput {
    fn replace(self, _: ToolResult) -> ToolResult {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: OutputReturn, E: Into<Exit>> OutputReturn for Result<T, E> {
    fn replace(self, inner: ToolResult) -> ToolResult {
        self.map_err(Into::into)?.replace(inner)
    }
}

/// What an output guardrail that takes the output by value can return: the output that goes outwards.
#[diagnostic::on_unimplemented(
    message = "an output guardrail that takes the output by value cannot return `{Self}`",
    label = "the output would be lost",
    note = "return `ToolOutput` or `Result<ToolOutput, E>`, or borrow the output: `output: &mut ToolOutput`"
)]
pub trait OutputGiven {
    #[doc(hidden)]
    fn give(self) -> ToolResult;
}

#[diagnostic::do_not_recommend]
impl OutputGiven for ToolOutput {
    fn give(self) -> ToolResult {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Exit>> OutputGiven for Result<ToolOutput, E> {
    fn give(self) -> ToolResult {
        self.map_err(Into::into)
    }
}

/// What an output guardrail's `output` or `result` parameter can be: the output of a call that succeeded, or the whole
/// result.
#[diagnostic::on_unimplemented(
    message = "an output guardrail cannot take the output as `{Self}`",
    label = "not a result of a call",
    note = "write `ToolOutput` (calls that failed pass by) or `ToolResult` (it also sees errors), by value, `&` or `&mut`"
)]
pub trait GuardedOutput: Sized {
    /// The part that the guardrail sees, or the result that passes it by.
    #[doc(hidden)]
    fn take(result: ToolResult) -> Result<Self, ToolResult>;

    #[doc(hidden)]
    fn put(self) -> ToolResult;
}

#[diagnostic::do_not_recommend]
impl GuardedOutput for ToolResult {
    fn take(result: ToolResult) -> Result<Self, ToolResult> {
        Ok(result)
    }

    fn put(self) -> ToolResult {
        self
    }
}

#[diagnostic::do_not_recommend]
impl GuardedOutput for ToolOutput {
    fn take(result: ToolResult) -> Result<Self, ToolResult> {
        result.map_err(Err)
    }

    fn put(self) -> ToolResult {
        Ok(self)
    }
}

/// An output guardrail's parameter called `args`: the arguments that the tool had.
#[diagnostic::on_unimplemented(
    message = "an output guardrail takes the arguments of the call as `&Args`, not as `{Self}`",
    label = "write `&Args`",
    note = "the tool has run: nobody reads its arguments any more"
)]
pub trait SeenArgs<'a> {
    #[doc(hidden)]
    fn seen(args: &'a Args) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a> SeenArgs<'a> for &'a Args {
    fn seen(args: &'a Args) -> Self {
        args
    }
}

#[diagnostic::do_not_recommend]
impl SeenArgs<'_> for Args {
    fn seen(args: &Args) -> Self {
        args.clone()
    }
}
