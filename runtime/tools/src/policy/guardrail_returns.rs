//! The parameter and return types of guardrails.

use crate::onion::sees_results;
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::output::ToolOutput;

/// A type that an input guardrail can return: nothing, or new arguments; either may be a refusal.
#[diagnostic::on_unimplemented(
    message = "an input guardrail cannot return `{Self}`",
    label = "not an input guardrail's result",
    note = "return `()`, or `Result<(), E>` to refuse the call, where `E` is an error or a text for the model; arguments are \
            rewritten through `args: &mut Args`, or by returning `Args`"
)]
pub trait InputReturn {
    /// Replaces the arguments by the returned ones.
    ///
    /// # Errors
    /// Returns an error if the guardrail refuses the call.
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

/// A type that an output guardrail can return if it borrows the output: nothing, or a new output; either may be a
/// refusal.
#[diagnostic::on_unimplemented(
    message = "an output guardrail that borrows the output cannot return `{Self}`",
    label = "not an output guardrail's result",
    note = "return `()`, or `Result<(), E>` to withhold the output, where `E` is an error or a text for the model; the output \
            is rewritten through `output: &mut ToolOutput`, or by returning a `ToolOutput`"
)]
pub trait OutputReturn {
    /// The result of the guardrail, given the result that it borrowed.
    #[doc(hidden)]
    fn replace(self, inner: ToolResult) -> ToolResult;
}

/// A type that an output guardrail can return if it takes the output by value: the output of the guardrail.
#[diagnostic::on_unimplemented(
    message = "an output guardrail that takes the output by value cannot return `{Self}`",
    label = "the output would be lost",
    note = "return `ToolOutput` or `Result<ToolOutput, E>`, or borrow the output: `output: &mut ToolOutput`"
)]
pub trait OutputGiven {
    #[doc(hidden)]
    fn give(self) -> ToolResult;
}

/// A type of an output guardrail's `output` or `result` parameter: the output of a successful call, or the whole
/// result.
#[diagnostic::on_unimplemented(
    message = "an output guardrail cannot take the output as `{Self}`",
    label = "not a result of a call",
    note = "write `ToolOutput` (calls that failed pass by) or `ToolResult` (it also sees errors), by value, `&` or `&mut`"
)]
pub trait GuardedOutput: Sized {
    /// The part for the guardrail, or the result that bypasses it.
    #[doc(hidden)]
    fn take(result: ToolResult) -> Result<Self, ToolResult>;

    #[doc(hidden)]
    fn put(self) -> ToolResult;
}

sees_results!(OutputReturn, OutputGiven, GuardedOutput);

/// The arguments of the tool, for an output guardrail's parameter called `args`.
#[diagnostic::on_unimplemented(
    message = "an output guardrail takes the arguments of the call as `&Args`, not as `{Self}`",
    label = "write `&Args`",
    note = "the tool has run, so a change of its arguments has no effect"
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
