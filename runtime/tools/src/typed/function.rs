//! Functions as typed tools.

use super::{TypedCall, TypedTool};
use crate::context::ToolContext;
use crate::tool::Function;
use crate::tool::Veiled;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Failed, encode, failed};
use onionskin_definitions::error::ToolResult;

#[diagnostic::do_not_recommend]
impl<F: Veiled + Function<F::Veil>> TypedTool for F {
    type Args = <F as Function<F::Veil>>::Args;
    type Output = <F as Function<F::Veil>>::Output;
    type Rereads = ();
    type Rewrites = ();

    fn decode(&self, args: &mut Args) -> ToolResult<Self::Args> {
        F::read(args)
    }

    async fn invoke<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: Self::Args,
        _: &'a TypedCall<'a>,
    ) -> ToolResult<Self::Output> {
        Ok(self.call(cx, args)?.await)
    }

    fn encode(output: Self::Output, _: &TypedCall<'_>) -> ToolResult {
        encode(F::returned(), output)
    }

    fn failed(output: &Self::Output) -> Option<Failed<'_>> {
        failed(F::returned(), output)
    }
}
