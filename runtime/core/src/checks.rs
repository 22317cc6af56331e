//! What the macros and the builders of agents ask of the types that they are given.
//!
//! The compiler names these traits in its errors. They are implemented where a check holds, and are not for programs to
//! implement or to call.

use std::sync::Arc;

use serde::Serialize;

pub use crate::definition::ReadAgain;

use crate::args::Args;
use crate::life::{Needed, NeedsApproval};
use crate::onion::{EndRing, Hook, RawRing, Ring};
use crate::spec::ToolSpec;
use crate::tool::{Toolbox, ToolboxPart};

/// What says of a hook or a guardrail `H` how lists make it and which state it works on: its `Made`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `Made` of `{H}`",
    label = "a macro of `onionskin` writes this",
    note = "in place of `type Made = ..;` write `onionskin::raw_guardrail!(default);` for a guardrail that lists make by its \
            `Default`, or `onionskin::raw_guardrail!();` for one that is added to a `ToolSpec`"
)]
pub trait MadeBy<H> {
    /// `State<S>` if it takes one, else `()`.
    #[doc(hidden)]
    type State;

    /// What a list writes in parentheses after its name, as a tuple.
    #[doc(hidden)]
    type Values;

    /// How many values that is; none if a list cannot name it.
    #[doc(hidden)]
    const TAKES: Option<usize> = Some(0);

    #[doc(hidden)]
    fn configure(values: Self::Values) -> H;
}

/// As [`MadeBy`], for a hook: it can be a typed one, which is part of a ring.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `Made` of `{H}`",
    label = "a macro of `onionskin` writes this",
    note = "in place of `type Made = ..;` write `onionskin::raw_hook!(default);` for a hook that `agent!` makes by its \
            `Default`, or `onionskin::raw_hook!();` for one that is added with `.hook(..)`"
)]
pub trait HookMadeBy<H>: MadeBy<H> {
    /// What the hook adds to the ring of typed hooks: itself if it is one, else nothing (`= R`).
    #[doc(hidden)]
    type Ring<R: Ring>: Ring;

    #[doc(hidden)]
    const TYPED: bool = false;

    /// Makes this hook part of the ring, if it is a typed one.
    #[doc(hidden)]
    fn ring<R: Ring>(hook: &Arc<H>, rest: R) -> Self::Ring<R>;
}

/// The `Made` of a hook or a guardrail that lists make by its [`Default`]: `raw_hook!(default)`, `raw_guardrail!(default)`.
#[derive(Debug)]
pub enum ByDefault {}

/// The `Made` of a hook or a guardrail that no list can name: `raw_hook!()`, `raw_guardrail!()`.
#[derive(Debug)]
pub enum AtRunTime {}

/// A hook of a [`ToolSpec`]'s own, which clones of the tool do not share: each has a clone of the hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Clone`, so clones of the `ToolSpec` could not have a hook each",
    label = "not `Clone`",
    note = "give an `Arc` of the hook, which all clones of the tool then share, or make the hook and its values `Clone`"
)]
pub trait ForEachClone {
    #[doc(hidden)]
    #[must_use]
    fn for_clone(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> ForEachClone for T {
    fn for_clone(&self) -> Self {
        self.clone()
    }
}

/// A toolbox that has the tool method that a filter names: `audit for [Stock::put]`.
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

/// What `.tool(..)` takes: a [`ToolSpec`], or what one can be made of.
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

/// A hook or a guardrail that a list can name: it is made from what the list says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is made at run time, and a list cannot name it",
    label = "a list makes a hook or a guardrail itself",
    note = "take it off here: a hook is added with `.hook(..)` of the builder, a guardrail with `add_input_guardrails` or \
            `add_output_guardrails` of the tool's `ToolSpec`",
    note = "one that is written by hand and has a `Default` can be named: `raw_hook!(default)`, `raw_guardrail!(default)`"
)]
pub trait NamedInLists<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> NamedInLists<true> for T {}

/// A hook or a guardrail that is given a value for each of its `#[config]` parameters, or more.
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

/// A hook or a guardrail that is given no more values than it takes.
#[diagnostic::on_unimplemented(
    message = "too many values for `{Self}`: it takes {TAKES}, and this gives {GIVEN}",
    label = "there is no `#[config]` parameter for the last of the values",
    note = "write a value for each `#[config]` parameter, in their order; without such parameters write the name alone"
)]
pub trait HasNoMoreValues<const TAKES: usize, const GIVEN: usize, const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T, const TAKES: usize, const GIVEN: usize> HasNoMoreValues<TAKES, GIVEN, true> for T {}

/// A hook of an agent that no typed hook comes before.
#[diagnostic::on_unimplemented(
    message = "`{Self}` comes behind a typed hook, and typed hooks run inside all others",
    label = "move this one before the typed hooks"
)]
pub trait BeforeTypedHooks<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> BeforeTypedHooks<true> for T {}

/// A hook that a tool can have among its own.
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

/// A tool of an agent that has another name than the tools before it.
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

/// A child of an agent that has another name than the children before it.
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

/// A child of an agent that says what it is for.
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
    message = "the fields of `{Self}` and of another enum come together in one object",
    label = "strict rules have no form for the fields of two enums",
    note = "keep one of the two out of `flatten`"
)]
pub trait OneEnum<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> OneEnum<true> for T {}

/// A parameter's type under its own name: `&str`, where it is that.
#[diagnostic::on_unimplemented(
    message = "`&str` stands here under another name",
    label = "write `&str` itself",
    note = "text with an escape, such as a line break, cannot be borrowed; `#[tool]` copies it then, where it sees that \
            a parameter is a `&str`"
)]
pub trait NamedAsItIs<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> NamedAsItIs<true> for T {}

/// The `timeout` or the `max_calls` of a tool that is a constant.
#[diagnostic::on_unimplemented(
    message = "this limit is zero, so no call could end well",
    label = "a constant that is zero",
    note = "let it be more than zero, or leave the option out for no limit"
)]
pub trait MoreThanZero<const IS: bool> {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T> MoreThanZero<true> for T {}

/// A result of a tool that goes with its call from thread to thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "a call goes from thread to thread, and this cannot be sent with it",
    note = "return a type that is `Send` and borrows nothing: `Arc` in place of `Rc`, `Box<dyn Error + Send + Sync>` in place \
            of `Box<dyn Error>`"
)]
pub trait SentAsResult {
    #[doc(hidden)]
    const HOLDS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> SentAsResult for T {}

/// A hook that can be added at run time. Typed hooks stand at their tool, whose place is settled when the agent is
/// declared.
#[diagnostic::on_unimplemented(
    message = "a typed hook cannot be added at run time",
    label = "a hook on one tool, `#[tool_hook(tool = ..)]`",
    note = "name it in the agent's `tool_hooks`, or write a raw hook: `args: &mut Args, next: impl Next`"
)]
pub trait RawHook: Hook {}

#[diagnostic::do_not_recommend]
impl<H: Hook<Made: HookMadeBy<H, Ring<EndRing>: RawRing>>> RawHook for H {}

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

/// What the function of `approval = ..` says of a call.
#[doc(hidden)]
pub fn approval_by<R: NeedsApproval + 'static>(needed: fn(&Args) -> R) -> Needed {
    Arc::new(move |args| needed(args).needed())
}

/// An argument that can be written as JSON again: a typed hook hands it on to what a tool has of its own.
#[diagnostic::on_unimplemented(
    message = "a typed hook cannot be put here: `{Self}` cannot be written as an argument again",
    label = "an argument of this tool has no `Serialize`",
    note = "the tool has hooks or stages of its own, which get its arguments as JSON from the typed hook",
    note = "write `#[derive(serde::Serialize)]` on `{Self}`, or a raw hook (`args: &mut Args`), which can be put on any tool"
)]
pub trait WrittenAgain {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> WrittenAgain for T {}

/// The arguments of a tool that can all be written again.
pub trait ArgumentsWrittenAgain {
    #[doc(hidden)]
    const ARE: () = ();
}

impl ArgumentsWrittenAgain for () {}
