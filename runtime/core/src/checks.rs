//! Checks by the macros and the agent builders of the types that they get.
//!
//! The compiler names these traits in its errors. They are implemented where a check holds. Programs do not implement
//! or call them.

use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;

pub use onionskin_definitions::definition::ReadAgain;
pub use onionskin_tools::onion::{ForEachClone, ListValues, MadeBy};
pub use onionskin_tools::spec::ToolValue;
pub use onionskin_tools::typed::{HookMadeBy, RawHook};

use crate::agent::{TypedAnswer, TypedInput};
use onionskin_definitions::args::Args;
use onionskin_tools::policy::{Needed, NeedsApproval};
use onionskin_tools::tool::{Toolbox, ToolboxPart};

/// A type that can be the `output` of an agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of an agent",
    label = "a model cannot write this type",
    note = "the type of an answer needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; it is `Send` \
            and borrows nothing"
)]
pub trait OutputOfAgent {
    /// A bound check at the place that the macro points to.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: TypedAnswer> OutputOfAgent for T {}

/// A type that can be the `input` of an agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of an agent",
    label = "a model cannot write this type",
    note = "the type of an input needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; it is `Send` \
            and borrows nothing"
)]
pub trait InputOfAgent {
    /// A bound check at the place that the macro points to.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: TypedInput> InputOfAgent for T {}

/// A toolbox that has the tool method named by a filter: `audit for [Stock::put]`.
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

/// A hook or a guardrail that can be named in a list, which constructs it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is made at run time, and a list cannot name it",
    label = "a list constructs its hooks and guardrails",
    note = "remove it here and add it at run time: a hook with `.hook(..)` of the builder, a run hook with \
            `.run_hook(..)`, a guardrail of an agent with `.input_guardrail(..)` or `.output_guardrail(..)` of the builder, one of \
            a tool with `add_input_guardrails` or `add_output_guardrails` of the tool's `ToolSpec`",
    note = "a hand-written one can be named here if its `Made` is `made::ByDefault`, or `made::FromValues` for one with values"
)]
pub trait NamedInLists<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> NamedInLists<true> for T {}

/// A hook or a guardrail with at least as many values as it has `#[config]` parameters.
#[diagnostic::on_unimplemented(
    message = "too few values for `{Self}`: it takes {TAKES}, and this gives {GIVEN}",
    label = "values are missing",
    note = "write a value for each `#[config]` parameter, in their order: `{Self}(..)`; they are of the types `{Values}`"
)]
pub trait HasEachValue<Values, const TAKES: usize, const GIVEN: usize, const HAS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T, V, const TAKES: usize, const GIVEN: usize> HasEachValue<V, TAKES, GIVEN, true> for T {}

/// A hook or a guardrail with at most as many values as it has `#[config]` parameters.
#[diagnostic::on_unimplemented(
    message = "too many values for `{Self}`: it takes {TAKES}, and this gives {GIVEN}",
    label = "no `#[config]` parameter takes the last value",
    note = "write a value for each `#[config]` parameter, in their order; without such parameters write the name alone"
)]
pub trait HasNoMoreValues<const TAKES: usize, const GIVEN: usize, const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T, const TAKES: usize, const GIVEN: usize> HasNoMoreValues<TAKES, GIVEN, true> for T {}

/// A hook of an agent with no typed hook before it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` comes after a typed hook, but typed hooks run inside all other hooks",
    label = "move this one before the typed hooks"
)]
pub trait BeforeTypedHooks<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> BeforeTypedHooks<true> for T {}

/// A hook of an agent that is not a typed hook, so that it can see the calls of the agents below.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a typed hook on one tool, so it cannot be everywhere",
    label = "take `for [everywhere]` off",
    note = "a hook on the calls of all agents below is not typed: `args: &mut Args, next: impl Next`"
)]
pub trait UntypedEverywhere<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> UntypedEverywhere<true> for T {}

/// A hook of an agent that is not a typed hook, or whose tool is in the agent's `function_tools`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a typed hook on a tool that is not in the `function_tools` of this agent, so it would never run",
    label = "its tool is not in `function_tools`",
    note = "name the tool in `function_tools`; for a tool that the agent gets in another way, write an untyped hook with a \
            filter, `hook for [tool(name)]`"
)]
pub trait HookOnOwnTool<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> HookOnOwnTool<true> for T {}

/// A hook that can be one of a tool's own hooks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a typed hook, and a tool's own `hooks` are raw ones",
    label = "a hook on one tool, `#[tool_hook(tool = ..)]`",
    note = "name it in the `tool_hooks` of an agent that has the tool"
)]
pub trait OwnHook<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> OwnHook<true> for T {}

/// A hook that can be one of the own hooks of a tool without `effect`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` repeats calls, and this tool does not say whether a second call is safe",
    label = "this hook would do nothing here",
    note = "write `effect = pure` if the tool changes nothing, `effect = idempotent` if a second call with the same `IdempotencyKey` has no \
            further effect; else drop the hook"
)]
pub trait HookOfUnstated<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> HookOfUnstated<true> for T {}

/// A hook that can be one of the own hooks of a tool with `effect = once`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` repeats calls, but a tool with `effect = once` is never called twice",
    label = "this hook would do nothing here",
    note = "drop the hook; if a second call with the same `IdempotencyKey` has no further effect, write `effect = idempotent`"
)]
pub trait HookOfOnce<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> HookOfOnce<true> for T {}

/// Whether a hook of a function repeats calls: `Repeats::<H>::IS`. A hook that does has a constant of its own, which the compiler
/// takes before the one of [`RepeatsNothing`].
#[doc(hidden)]
pub struct Repeats<H>(PhantomData<fn() -> H>);

/// All other hooks.
#[doc(hidden)]
pub trait RepeatsNothing {
    const IS: bool = false;
}

impl<H> RepeatsNothing for Repeats<H> {}

/// A tool of an agent whose name differs from those of the tools before it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has the name of a tool before it",
    label = "two tools of this agent have the same name",
    note = "give one of them another name: `#[tool(name = \"..\")]`"
)]
pub trait ToolNamedOnce<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> ToolNamedOnce<true> for T {}

/// A child of an agent whose name differs from those of the children before it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has the name of a child before it",
    label = "two children of this agent have the same name",
    note = "give one of them another name: `name: \"..\"`"
)]
pub trait ChildNamedOnce<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> ChildNamedOnce<true> for T {}

/// A child of an agent that has a description.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no description, by which the model of its parent chooses it",
    label = "a child of this agent without a description",
    note = "say in `{Self}` what it is for: `description: \"..\"`"
)]
pub trait DescribedChild<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> DescribedChild<true> for T {}

/// A toolbox of an agent whose methods have other names than the agent's functions.
#[diagnostic::on_unimplemented(
    message = "a method of the toolbox `{Self}` has the name of a function in `function_tools`",
    label = "two tools of this agent have the same name",
    note = "give the toolbox a prefix, `toolboxes: [kb: {Self}]`, or one of the two another name: `#[tool(name = \"..\")]`"
)]
pub trait NamedUnlikeFunctions<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> NamedUnlikeFunctions<true> for T {}

/// A toolbox of an agent whose methods have other names than those of the toolboxes before it.
#[diagnostic::on_unimplemented(
    message = "a method of the toolbox `{Self}` has the name of a method of a toolbox before it",
    label = "two tools of this agent have the same name",
    note = "give the toolbox a prefix, `toolboxes: [kb: {Self}]`, or one of the two another name: `#[tool(name = \"..\")]`"
)]
pub trait NamedUnlikeToolboxes<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> NamedUnlikeToolboxes<true> for T {}

/// A flattened field of a strict type that is the only enum among the type's fields.
#[diagnostic::on_unimplemented(
    message = "one object would have the fields of `{Self}` and of another enum",
    label = "strict rules have no form for the fields of two enums",
    note = "remove `flatten` from one of the two"
)]
pub trait OneEnum<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> OneEnum<true> for T {}

/// The type of a parameter under its own name, for example `&str`.
#[diagnostic::on_unimplemented(
    message = "a type alias of `&str` cannot be the type of a parameter",
    label = "write `&str` itself",
    note = "text with an escape, such as a line break, cannot be borrowed, so `#[tool]` copies it; it does so only for a type \
            that is written `&str`"
)]
pub trait NamedAsItIs<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> NamedAsItIs<true> for T {}

/// The `timeout` or the `max_calls` of a tool, as a constant.
#[diagnostic::on_unimplemented(
    message = "this limit is zero, so every call would fail",
    label = "a constant that is zero",
    note = "write a number above zero, or leave the option out for no limit"
)]
pub trait MoreThanZero<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> MoreThanZero<true> for T {}

/// The result of a tool, which moves between threads with its call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "calls move between threads, and a value of this type cannot",
    note = "return a type that is `Send` and borrows nothing: `Arc` in place of `Rc`, `Box<dyn Error + Send + Sync>` in place \
            of `Box<dyn Error>`"
)]
pub trait SentAsResult {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> SentAsResult for T {}

/// A toolbox with this part: `#[toolbox(parts = [Admin])]`.
#[diagnostic::on_unimplemented(
    message = "`{P}` is not a part of the toolbox `{Self}`",
    label = "no block of `{Self}` is this part",
    note = "write `#[toolbox(part = {P})]` on another `impl` block of the type"
)]
pub trait HasPart<P> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ToolboxPart<P>, P> HasPart<P> for T {}

/// The answer of the function in `approval = ..`.
#[doc(hidden)]
pub fn approval_by<R: NeedsApproval + 'static>(needed: fn(&Args) -> R) -> Needed {
    Arc::new(move |args| needed(args).needed())
}

/// An argument that can be serialised to JSON again, because a typed hook passes it on to a tool's own layers.
#[diagnostic::on_unimplemented(
    message = "a typed hook cannot be put here: `{Self}` cannot be written as an argument again",
    label = "an argument of this tool has no `Serialize`",
    note = "the tool has hooks or stages of its own, which get its arguments as JSON from the typed hook",
    note = "write `#[derive(serde::Serialize)]` on `{Self}`, or a raw hook (`args: &mut Args`), which can be put on any tool"
)]
pub trait WrittenAgain {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> WrittenAgain for T {}

/// The arguments of a tool, all of which can be serialised again.
pub trait ArgumentsWrittenAgain {
    #[doc(hidden)]
    const ARE: () = ();
}

impl ArgumentsWrittenAgain for () {}
