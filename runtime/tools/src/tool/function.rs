//! Tools as `#[tool]` generates them for most functions: only the parts that differ between functions. The
//! shared code to run them is here, and in `definition/scan.rs`, `definition/decode.rs` and
//! `definition/result.rs`, so that a hundred tools do not compile it a hundred times.

use std::future::Future;

use serde_json::Value;

use super::private_types::Veiled;
use super::{Tool, Works};
use crate::context::ToolContext;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Defined, Encoded, Returned, ToolDefinition, check_args};
use onionskin_definitions::error::ToolResult;

not_a_tool! {
    /// A function with owned arguments and an owned result, as a tool; `V` is its [`Veiled::Veil`].
    pub trait Function<V>: Send + Sync + Sized + 'static {
        /// The tool's name.
        const NAME: &'static str;
        /// As [`Tool::State`].
        type State: Works;
        /// The arguments that the model fills, as a struct with their names.
        type Args: Send + 'static;
        /// What the function returns.
        type Output: Send + 'static;

        /// The tool's static definition.
        fn defined() -> &'static Defined;

        /// Deserialises the arguments.
        ///
        /// # Errors
        /// Returns an error if they do not fit. The error names every invalid argument.
        fn read(args: &mut Args) -> ToolResult<Self::Args>;

        /// Calls the function.
        ///
        /// # Errors
        /// Returns an error if the context lacks a parameter of the function.
        fn call<'a>(
            &'a self,
            cx: &'a ToolContext,
            args: Self::Args,
        ) -> ToolResult<impl Future<Output = Self::Output> + Send + 'a>;

        /// The conversion of the function's return value to the result.
        fn returned() -> impl Returned<Self::Output>;
    }
}

#[diagnostic::do_not_recommend]
impl<F: Veiled + Function<F::Veil>> Tool for F {
    const NAME: &'static str = <F as Function<F::Veil>>::NAME;
    type State = <F as Function<F::Veil>>::State;

    fn definition(&self) -> &ToolDefinition {
        F::defined().get()
    }

    fn run<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        let call = match F::read(args) {
            Ok(args) => self.call(cx, args),
            Err(exit) => Err(exit),
        };
        match call {
            Ok(call) => Encoded::new(call, F::returned),
            Err(exit) => Encoded::refused(exit),
        }
    }

    fn check_args(&self, _: &ToolContext, args: &Args) -> ToolResult<()> {
        check_args(F::defined().get(), args)
    }

    #[inline]
    fn run_staged<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        self.run(cx, args)
    }
}

/// Returns the schema of a function's structured result. Functions with the same return type share the code.
pub const fn schema_by<R, T: Returned<R>>(_: fn() -> T) -> fn() -> Option<Value> {
    T::schema
}
