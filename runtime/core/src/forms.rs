//! The traits for the parameter and return types of hooks and tools. The compiler names them when a type does not fit. Programs do not
//! implement or call them.

use std::future::Future;
use std::time::Duration;

pub use crate::agent::{StrategyAnswer, TypedAnswer, TypedInput};
pub use onionskin_definitions::definition::{
    ErrorText, FromText, SentToCalls, ShownToModel, ToolArg, ToolParameter, ToolReturn,
};
pub use onionskin_definitions::strict::{StrictFields, StrictParameter};
#[doc(hidden)]
pub use onionskin_definitions::strict::{strict, strict_fields};
pub use onionskin_tools::approval::NeedsApproval;
pub use onionskin_tools::policy::{CacheKey, ErrorHandler};
#[doc(hidden)]
pub use onionskin_tools::policy::{keyed, recover};
pub use onionskin_tools::tool::{BothStates, FitsState, FitsTool, Make, ReachesInner, SharedToolbox, Works};
#[doc(hidden)]
pub use onionskin_tools::tool::{Function, ToolboxPart, can_be_shared};

use crate::message_hook::Delivery;
use crate::run_hook::{RunAnswer, RunInput};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{BoxError, Exit, ToolResult};
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::context::ToolContext;
use onionskin_tools::model::ModelResponse;

/// Declares the types of a parameter that the runtime fills, and how each is made from the values at its
/// place. A row ends with the compiler's message, its label and its notes.
macro_rules! takes {
    ($(
        $(#[$doc:meta])*
        $name:ident($place:ident: $of_place:ty) { $($taken:ty => $value:expr),+ }
        $message:literal, $label:literal $(, $note:literal)*;
    )*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note),*)]
        pub trait $name<'a> {
            /// The value for a parameter of this type.
            fn inject($place: $of_place) -> Self;
        }

        $(
            #[diagnostic::do_not_recommend]
            impl<'a> $name<'a> for $taken {
                #[inline]
                fn inject($place: $of_place) -> Self {
                    $value
                }
            }
        )+
    )*};
}

takes! {
    /// The tool's name, for a parameter called `name` or `function_name`.
    InjectName(cx: &'a ToolContext) { &'a str => cx.tool_name(), String => cx.tool_name().to_owned() }
    "a parameter called `name` or `function_name` is the tool's name",
    "write `&str` or `String`, or give the parameter another name";

    /// The arguments of the call, for a hook's parameter called `args`.
    InjectArgs(args: &'a mut Args) { &'a mut Args => args, &'a Args => args, Args => args.clone() }
    "a hook or a guardrail takes the arguments of the call as `&mut Args`, not as `{Self}`",
    "write `&mut Args`, `&Args` or `Args`",
    "a hook on one tool, `#[tool_hook(tool = ..)]`, takes that tool's own arguments: `args: ArgsOf<tool>`";

    /// The arguments of the tool, for an output guardrail's parameter called `args`.
    SeenArgs(args: &'a Args) { &'a Args => args, Args => args.clone() }
    "an output guardrail takes the arguments of the call as `&Args`, not as `{Self}`",
    "write `&Args`",
    "the tool has run, so a change of its arguments has no effect";

    /// The input of the run, for a run hook's parameter called `input`.
    InjectInput(input: &'a mut RunInput) {
        &'a mut RunInput => input, &'a RunInput => input, &'a str => input.text(), String => input.text().to_owned()
    }
    "a run hook takes the input of the run as `&mut RunInput` or as text, not as `{Self}`",
    "write `&mut RunInput`, `&RunInput`, `&str` or `String`";

    /// The answer of the run, for a run hook's parameter called `answer`.
    InjectAnswer(answer: &'a mut RunAnswer) {
        &'a mut RunAnswer => answer, &'a RunAnswer => answer, &'a str => answer.text(), String => answer.text().to_owned()
    }
    "a run hook takes the answer of the run as `&mut RunAnswer` or as text, not as `{Self}`",
    "write `&mut RunAnswer`, `&RunAnswer`, `&str` or `String`";
}

// Not a row: the compiler shows the `impl` if there is only one.
/// The context, for a hook's parameter of the type `&ToolContext`.
#[diagnostic::on_unimplemented(
    message = "the context of a call must be `&ToolContext`, not `{Self}`",
    label = "write `&ToolContext`",
    note = "it is shared and cannot be changed; state that changes belongs in `State<..>` or `&SessionState`"
)]
pub trait InjectContext<'a> {
    /// The value for a parameter of this type.
    fn inject(cx: &'a ToolContext) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a> InjectContext<'a> for &'a ToolContext {
    #[inline]
    fn inject(cx: &'a ToolContext) -> Self {
        cx
    }
}

/// The arguments of a typed hook: those of its tool.
#[diagnostic::on_unimplemented(
    message = "a typed hook takes the arguments of its tool, not `{Self}`",
    label = "write `ArgsOf<..>` with the tool's name"
)]
pub trait TypedArgs<A> {
    /// Returns the arguments for the hook.
    fn give(args: A) -> Self;
}

#[diagnostic::do_not_recommend]
impl<A> TypedArgs<A> for A {
    #[inline]
    fn give(args: A) -> A {
        args
    }
}

/// Declares a trait for the types of a parameter with a call's result: the whole result, or the output of a
/// successful call.
macro_rules! results {
    ($($(#[$doc:meta])* $name:ident $message:literal, $label:literal, $note:literal;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $name: Sized {
            /// Returns the part for the function.
            ///
            /// # Errors
            /// Returns the result that bypasses the function.
            fn take(result: ToolResult) -> Result<Self, ToolResult>;

            /// Returns the result with the part as the function left it.
            ///
            /// # Errors
            /// Returns the error if the part is one.
            fn put(self) -> ToolResult;
        }

        #[diagnostic::do_not_recommend]
        impl $name for ToolResult {
            fn take(result: ToolResult) -> Result<Self, ToolResult> {
                Ok(result)
            }

            fn put(self) -> ToolResult {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl $name for ToolOutput {
            fn take(result: ToolResult) -> Result<Self, ToolResult> {
                result.map_err(Err)
            }

            fn put(self) -> ToolResult {
                Ok(self)
            }
        }
    )*};
}

results! {
    /// A type of an after hook's `result` or `output` parameter: the whole result, or the output of a successful call.
    AfterTarget
    "an after hook cannot take the result as `{Self}`",
    "not a result of a call",
    "write `ToolResult` (it also sees errors) or `ToolOutput` (calls that failed pass by), by value, `&` or `&mut`";

    /// A type of an output guardrail's `output` or `result` parameter: the output of a successful call, or the whole result.
    GuardedOutput
    "an output guardrail cannot take the output as `{Self}`",
    "not a result of a call",
    "write `ToolOutput` (calls that failed pass by) or `ToolResult` (it also sees errors), by value, `&` or `&mut`";
}

/// Declares what a function can return at a place: one of these types, or a `Result` of one whose error
/// converts to this error. A row ends with the compiler's message, its label and its notes.
macro_rules! returns {
    ($(
        $(#[$doc:meta])*
        $name:ident -> $answer:ty, $error:ty { $($returned:ty = |$provided:pat_param| $value:expr),+ }
        $message:literal, $label:literal $(, $note:literal)+;
    )*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note),+)]
        pub trait $name {
            /// Converts the return value to the answer of the function.
            ///
            /// # Errors
            /// Returns the error of the function.
            fn into_result(self) -> Result<$answer, $error>;
        }

        $(
            #[diagnostic::do_not_recommend]
            impl $name for $returned {
                fn into_result(self) -> Result<$answer, $error> {
                    let $provided = self;
                    Ok($value)
                }
            }
        )+

        #[diagnostic::do_not_recommend]
        impl<T: $name, E: Into<$error>> $name for Result<T, E> {
            fn into_result(self) -> Result<$answer, $error> {
                self.map_err(Into::into)?.into_result()
            }
        }
    )*};
}

returns! {
    /// A type that a before hook can return: nothing, or an answer in place of the call; either may fail.
    BeforeReturn -> Option<ToolOutput>, Exit { () = |()| None, Option<ToolOutput> = |answer| answer }
    "a before hook cannot return `{Self}`",
    "not a before hook's result",
    "return `()`, `Result<(), E>` to refuse the call, or `Result<Option<ToolOutput>, E>` to answer instead of the tool, where `E` \
     is an error or a text for the model, or an `Exit`; with `next: impl Next` it is an around hook and returns `ToolResult`";

    /// A type that an after hook can return if it borrows the result: nothing, or a new result.
    AfterReturn -> Option<ToolOutput>, Exit { () = |()| None, ToolOutput = |output| Some(output) }
    "an after hook that borrows the result cannot return `{Self}`",
    "not an after hook's result",
    "return `()` or `Result<(), E>` to leave the result as it is, `ToolOutput` or `Result<ToolOutput, E>` to replace it, where `E` \
     is an error or a text for the model, or an `Exit`";

    /// A type that an after hook can return if it takes the result by value: the result of the hook.
    AfterOwned -> ToolOutput, Exit { ToolOutput = |output| output }
    "an after hook that takes the result by value cannot return `{Self}`",
    "the result would be lost",
    "return `ToolOutput` or `ToolResult`, or borrow the result: `result: &mut ToolResult`, `output: &mut ToolOutput`";

    /// A type that an input guardrail can return: nothing, or new arguments; either may be a refusal.
    InputReturn -> Option<Args>, Exit { () = |()| None, Args = |args| Some(args) }
    "an input guardrail cannot return `{Self}`",
    "not an input guardrail's result",
    "return `()`, or `Result<(), E>` to refuse the call, where `E` is an error or a text for the model; arguments are rewritten \
     through `args: &mut Args`, or by returning `Args`";

    /// A type that an output guardrail can return if it borrows the output: nothing, or a new output; either may be a refusal.
    OutputReturn -> Option<ToolOutput>, Exit { () = |()| None, ToolOutput = |output| Some(output) }
    "an output guardrail that borrows the output cannot return `{Self}`",
    "not an output guardrail's result",
    "return `()`, or `Result<(), E>` to withhold the output, where `E` is an error or a text for the model; the output is rewritten \
     through `output: &mut ToolOutput`, or by returning a `ToolOutput`";

    /// A type that an output guardrail can return if it takes the output by value: the output of the guardrail.
    OutputGiven -> ToolOutput, Exit { ToolOutput = |output| output }
    "an output guardrail that takes the output by value cannot return `{Self}`",
    "the output would be lost",
    "return `ToolOutput` or `Result<ToolOutput, E>`, or borrow the output: `output: &mut ToolOutput`";

    /// A type that a run hook before the run can return: nothing, or a new input; either may be an error.
    BeforeRunReturn -> Option<String>, BoxError { () = |()| None, String = |input| Some(input) }
    "a run hook before the run cannot return `{Self}`",
    "not a run hook's result",
    "return `()`, or `Result<(), E>`; for a new input `String` or `Result<String, E>`, or change `input: &mut RunInput`",
    "`E` is `InputCheckError` to refuse the input; another error that is `Send` and `Sync`, or a text, is a failure of the hook";

    /// A type that a run hook after the run can return: nothing, or a new answer; either may be an error.
    AfterRunReturn -> Option<String>, BoxError { () = |()| None, String = |answer| Some(answer) }
    "a run hook after the run cannot return `{Self}`",
    "not a run hook's result",
    "return `()`, or `Result<(), E>`; for a new answer `String` or `Result<String, E>`, or change `answer: &mut RunAnswer`",
    "`E` is `OutputCheckError` to refuse the answer; another error that is `Send` and `Sync`, or a text, is a failure of the hook";

    /// A type that a turn hook in `before_llm_call` can return: nothing, or an answer in place of the model; either may be an error.
    BeforeModelReturn -> Option<ModelResponse>, BoxError { () = |()| None, Option<ModelResponse> = |answer| answer }
    "a turn hook in `before_llm_call` cannot return `{Self}`",
    "not a turn hook's result",
    "return `()` or `Result<(), E>`, or `Option<ModelResponse>` or `Result<Option<ModelResponse>, E>` to answer in place of the \
     model, where `E` is an error that is `Send` and `Sync`, or a text";

    /// A type that a turn hook in `before_tool_call` can return: nothing, or a result in place of the tool; either may be an error.
    BeforeToolReturn -> Option<ToolOutput>, BoxError { () = |()| None, Option<ToolOutput> = |output| output }
    "a turn hook in `before_tool_call` cannot return `{Self}`",
    "not a turn hook's result",
    "return `()` or `Result<(), E>`, or `Option<ToolOutput>` or `Result<Option<ToolOutput>, E>` to give the result in place of the \
     tool, where `E` is an error that is `Send` and `Sync`, or a text";

    /// A type that a turn hook in one of the `after_` places can return: nothing, which may be an error.
    TurnHookReturn -> (), BoxError { () = |()| () }
    "a turn hook after a call or a turn cannot return `{Self}`",
    "not a turn hook's result",
    "return `()` or `Result<(), E>`, where `E` is an error that is `Send` and `Sync`, or a text; change what the hook gets by `&mut`";

    /// A type that a message hook in `process_message_before_send` can return: nothing, or whether the message is sent; either may be
    /// an error.
    BeforeSendReturn -> Delivery, BoxError { () = |()| Delivery::Send, Delivery = |delivery| delivery }
    "a message hook in `process_message_before_send` cannot return `{Self}`",
    "not a message hook's result",
    "return `()` or `Result<(), E>`, or `Delivery` or `Result<Delivery, E>` to drop messages, where `E` is an error that is `Send` \
     and `Sync`, or a text; change the message by `&mut SentMessage`";

    /// A type that a message hook at one of the places before a reply can return: nothing, which may be an error.
    BeforeReplyReturn -> (), BoxError { () = |()| () }
    "a message hook before a reply cannot return `{Self}`",
    "not a message hook's result",
    "return `()` or `Result<(), E>`, where `E` is an error that is `Send` and `Sync`, or a text; change what the hook gets by `&mut`";
}

/// The return type of an around hook.
#[diagnostic::on_unimplemented(
    message = "an around hook must return `ToolResult`, not `{Self}`",
    label = "write `ToolResult` here",
    note = "return the result of `next.run(args).await`, or an answer of your own: `Ok(ToolOutput::text(\"..\"))`"
)]
pub trait AroundReturn: Sized {
    /// The type of the hook's own future. Only this type is checked, so that a wrong type is reported once.
    type Held<F: Future<Output = Self>>: Future<Output = ToolResult>;

    /// Returns the future of the hook unchanged.
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

/// The return type of a typed hook: the result of its tool, of the type `T`.
#[diagnostic::on_unimplemented(
    message = "a typed hook must return what its tool returns, `ToolResult<{T}>`, not `{Self}`",
    label = "write `ToolResult<{T}>` here",
    note = "return the result of `next.run(args).await`, or an answer of your own: `Ok(..)`"
)]
pub trait TypedReturn<T>: Sized {
    /// The type of the hook's own future, as in [`AroundReturn`].
    type Held<F: Future<Output = Self>>: Future<Output = ToolResult<T>>;

    /// Returns the future of the hook unchanged.
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

/// A text for an instruction or a description.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a text",
    label = "write a string, `include_str!(\"..\")`, or an expression that gives a `&str` or a `String`"
)]
pub trait Text {
    /// The text.
    fn text(self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: Into<String>> Text for T {
    fn text(self) -> String {
        self.into()
    }
}

/// A number of seconds, whole or fractional, as `agent!` takes it. A value that is not positive becomes 0, which is
/// rejected later.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of seconds",
    label = "write a number: `30`"
)]
pub trait Seconds {
    /// The time.
    fn duration(self) -> Duration;
}

#[diagnostic::do_not_recommend]
impl Seconds for i32 {
    fn duration(self) -> Duration {
        Duration::from_secs(u64::try_from(self).unwrap_or(0))
    }
}

#[diagnostic::do_not_recommend]
impl Seconds for u64 {
    fn duration(self) -> Duration {
        Duration::from_secs(self)
    }
}

#[diagnostic::do_not_recommend]
impl Seconds for f64 {
    fn duration(self) -> Duration {
        // A time too long for a `Duration` sets no limit. The builder rejects 0.
        let otherwise = if self > 0.0 { Duration::MAX } else { Duration::ZERO };
        Duration::try_from_secs_f64(self).unwrap_or(otherwise)
    }
}
