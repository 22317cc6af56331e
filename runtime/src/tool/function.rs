//! A tool as `#[tool]` writes it for most functions: only what differs from one to the next. How it is run stands
//! here once, so that a hundred tools do not bring it to the compiler a hundred times.

use std::future::Future;

use super::Tool;
use super::definition::{Defined, ToolDefinition};
use super::result::Returned;
use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{Abort, ToolResult};
use crate::onion::TypedTool;

/// A function whose arguments and result are owned, as a tool.
#[doc(hidden)]
pub trait Function: Send + Sync + Sized + 'static {
    /// The tool's name.
    const NAME: &'static str;
    /// As [`Tool::State`].
    type State;
    /// The arguments that the model fills.
    type Args: Send + 'static;
    /// What the function returns.
    type Output: Send + 'static;

    /// What is known of the tool.
    fn defined() -> &'static Defined;

    /// Reads the arguments.
    ///
    /// # Errors
    /// If they do not fit; the error names every wrong one.
    fn read(args: &mut Args) -> ToolResult<Self::Args>;

    /// Calls the function.
    ///
    /// # Errors
    /// If the context lacks what the function wants of it.
    fn call<'a>(
        cx: &'a ToolContext,
        args: Self::Args,
    ) -> ToolResult<impl Future<Output = Self::Output> + Send + 'a>;

    /// What becomes of what it returns.
    fn returned() -> impl Returned<Self::Output>;
}

#[diagnostic::do_not_recommend]
impl<F: Function> Tool for F {
    const NAME: &'static str = <F as Function>::NAME;
    type State = <F as Function>::State;

    fn definition(&self) -> &ToolDefinition {
        F::defined().get()
    }

    async fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> ToolResult {
        let args = F::read(args)?;
        let output = F::call(cx, args)?.await;
        F::returned().encode(output)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Function> TypedTool for F {
    type Args = <F as Function>::Args;
    type Output = <F as Function>::Output;

    fn decode(&self, args: &mut Args) -> ToolResult<Self::Args> {
        F::read(args)
    }

    async fn invoke<'a>(&'a self, cx: &'a ToolContext, args: Self::Args) -> ToolResult<Self::Output> {
        Ok(F::call(cx, args)?.await)
    }

    fn encode(output: Self::Output) -> ToolResult {
        F::returned().encode(output)
    }

    fn aborted(output: &Self::Output) -> Option<&Abort> {
        F::returned().aborted(output)
    }
}

/// The schema of a function's structured result.
#[doc(hidden)]
pub fn schema_returned<F: Function>() -> Option<serde_json::Value> {
    F::returned().schema()
}
