//! Compile-time checks of types, by the macros and the agent builders.
//!
//! The compiler names these traits in its errors. A trait is implemented where its check holds. Programs
//! neither implement nor call them.

use std::fmt::Display;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;

pub use onionskin_definitions::definition::ReadAgain;
pub use onionskin_tools::onion::{ForEachClone, ListValues, MadeBy};
pub use onionskin_tools::spec::ToolValue;
pub use onionskin_tools::typed::{HookMadeBy, RawHook};

use crate::agent::{TypedAnswer, TypedInput};
use onionskin_definitions::args::Args;
use onionskin_definitions::secret::Secret;
use onionskin_tools::approval::{Needed, NeedsApproval};
use onionskin_tools::tool::ToolboxPart;

/// Declares checks of a constant that the macros compute: a trait holds where it is `true`. A row has the compiler's message, its label and its
/// notes.
macro_rules! constants {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$provided:ident; $($number:ident),+>)? = $message:literal, $label:literal $(, $note:literal)*;
    )*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note),*)]
        pub trait $name<$($provided, $(const $number: usize,)+)? const IS: bool> {
            /// Unused value: naming it performs the check.
            const HOLDS: bool = true;
        }

        #[diagnostic::do_not_recommend]
        impl<T: ?Sized, $($provided, $(const $number: usize,)+)?> $name<$($provided, $($number,)+)? true> for T {}
    )*};
}

/// Declares checks of a type: a trait holds for types with its bounds.
macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $(<$part:ident>)?: [$($bound:tt)+] = $message:literal, $label:literal, $($note:literal),+;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note),+)]
        pub trait $name $(<$part>)? {
            /// Unused value: naming it performs the check.
            const HOLDS: bool = true;
        }

        #[diagnostic::do_not_recommend]
        impl<T: $($bound)+ $(, $part)?> $name $(<$part>)? for T {}
    )*};
}

constants! {
    /// A toolbox that has the tool method named by a filter: `audit for [Stock::put]`.
    HasToolMethod =
    "the toolbox `{Self}` has no such tool",
    "not a method with `#[tool]`",
    "name a method of `{Self}` that is a tool, or `{Self}` alone for all of its tools";

    /// A hook or a guardrail that can be named in a list, which constructs it.
    NamedInLists =
    "`{Self}` is made at run time, so a list cannot name it",
    "a list constructs its hooks and guardrails",
    "remove it here, and add it at run time: to an agent with `.hook(..)`, `.run_hook(..)`, `.turn_hook(..)`, `.message_hook(..)`, `.input_guardrail(..)` or `.output_guardrail(..)` of the builder; to a tool with `.hook(..)`, `.add_input_guardrails(..)` or `.add_output_guardrails(..)` of its `ToolSpec`",
    "a list can name a hand-written one whose `Made` is `made::ByDefault`, or `made::FromValues` if it takes values";

    /// A hook or a guardrail with at least as many values as it has `#[config]` parameters.
    HasEachValue<Values; TAKES, GIVEN> =
    "too few values for `{Self}`: it takes {TAKES}, and this gives {GIVEN}",
    "values are missing",
    "write a value for each `#[config]` parameter, in their order: `{Self}(..)`; they are of the types `{Values}`";

    /// A hook or a guardrail with at most as many values as it has `#[config]` parameters.
    HasNoMoreValues<Values; TAKES, GIVEN> =
    "too many values for `{Self}`: it takes {TAKES}, and this gives {GIVEN}",
    "no `#[config]` parameter takes the last value",
    "write a value for each `#[config]` parameter, in their order; they are of the types `{Values}`; for `()`, write the name alone";

    /// A hook of an agent with no typed hook before it.
    BeforeTypedHooks =
    "`{Self}` comes after a typed hook, but typed hooks run inside all other hooks",
    "move this one before the typed hooks";

    /// A hook of an agent that is not a typed hook, so it can see the calls of descendants.
    UntypedEverywhere =
    "`{Self}` is a typed hook on one tool, so it cannot be everywhere",
    "remove `for [everywhere]`",
    "for the calls of all agents below, write an untyped hook: `args: &mut Args, next: impl Next`";

    /// A hook of an agent that is not a typed hook, or whose tool is in the agent's `function_tools`.
    HookOnOwnTool =
    "`{Self}` is a typed hook on a tool that is not in the `function_tools` of this agent, so it would never run",
    "its tool is not in `function_tools`",
    "name the tool in `function_tools`; for a tool that the agent gets in another way, write an untyped hook with a \
     filter, `hook for [tool(name)]`";

    /// A hook that a tool can declare.
    OwnHook =
    "`{Self}` is a typed hook, and a tool's own `hooks` are raw ones",
    "a hook on one tool, `#[tool_hook(tool = ..)]`",
    "name it in the `tool_hooks` of an agent that has the tool";

    /// A hook that a tool without `effect` can declare.
    HookOfUnstated =
    "`{Self}` repeats calls, and this tool does not say whether a second call is safe",
    "this hook would do nothing here",
    "write `effect = pure` if the tool changes nothing, `effect = idempotent` if a second call with the same \
     `IdempotencyKey` has no further effect; else remove the hook";

    /// A hook that a tool with `effect = once` can declare.
    HookOfOnce =
    "`{Self}` repeats calls, but a tool with `effect = once` is never called twice",
    "this hook would do nothing here",
    "remove the hook; if a second call with the same `IdempotencyKey` has no further effect, write `effect = idempotent`";

    /// A tool of an agent whose name differs from those of earlier tools.
    ToolNamedOnce =
    "`{Self}` has the name of a tool before it",
    "two tools of this agent have the same name",
    "give one of them another name: `#[tool(name = \"..\")]`";

    /// A child of an agent whose name differs from those of earlier children.
    ChildNamedOnce =
    "`{Self}` has the name of a child before it",
    "two children of this agent have the same name",
    "give one of them another name: `name: \"..\"`";

    /// A child of an agent that has a description.
    DescribedChild =
    "`{Self}` has no description, by which the model of its parent chooses it",
    "a child of this agent without a description",
    "say in `{Self}` what it is for: `description: \"..\"`";

    /// A toolbox of an agent whose method names differ from the agent's function names.
    NamedUnlikeFunctions =
    "a method of the toolbox `{Self}` has the name of a function in `function_tools`",
    "two tools of this agent have the same name",
    "give the toolbox a prefix, `toolboxes: [kb: {Self}]`, or one of the two another name: `#[tool(name = \"..\")]`";

    /// A toolbox of an agent whose method names differ from those of earlier toolboxes.
    NamedUnlikeToolboxes =
    "a method of the toolbox `{Self}` has the name of a method of a toolbox before it",
    "two tools of this agent have the same name",
    "give the toolbox a prefix, `toolboxes: [kb: {Self}]`, or one of the two another name: `#[tool(name = \"..\")]`";

    /// A flattened field of a strict type that is the type's only enum.
    OneEnum =
    "one object would have the fields of `{Self}` and of another enum",
    "strict rules have no form for the fields of two enums",
    "remove `flatten` from one of the two";

    /// The type of a parameter, written under its own name, for example `&str`.
    NamedAsItIs =
    "a type alias of `&str` cannot be the type of a parameter",
    "write `&str` itself",
    "text with an escape, such as a line break, cannot be borrowed, so `#[tool]` copies it; it does so only for a type \
     that is written `&str`";

    /// The `timeout` or the `max_calls` of a tool, as a constant.
    MoreThanZero =
    "this limit is zero, so every call would fail",
    "a constant that is zero",
    "write a number above zero, or remove the option for no limit";
}

bounds! {
    /// A type that can be the `output` of an agent.
    OutputOfAgent: [TypedAnswer] =
    "`{Self}` cannot be the answer of an agent",
    "a model cannot write this type",
    "the type of an answer needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, \
     schemars::JsonSchema)]`; it must be `Send` and borrow nothing";

    /// A type that can be the `input` of an agent.
    InputOfAgent: [TypedInput] =
    "`{Self}` cannot be the input of an agent",
    "a model cannot write this type",
    "the type of an input needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; \
     it must be `Send` and borrow nothing";

    /// A configured value of a hook. All calls share it.
    SharedByCalls: [Send + Sync + 'static] =
    "`{Self}` cannot be a value of a hook",
    "calls on all threads share it: it must be `Send`, `Sync` and `'static`",
    "take an `Arc` instead of an `Rc`, and a `Mutex` or an atomic instead of a `Cell` or `RefCell`";

    /// The result of a tool, which moves between threads with its call.
    SentAsResult: [Send + 'static] =
    "`{Self}` cannot be the result of a tool",
    "calls move between threads, and a value of this type cannot",
    "return a type that is `Send` and borrows nothing: `Arc` in place of `Rc`, `Box<dyn Error + Send + Sync>` in place \
     of `Box<dyn Error>`";

    /// A toolbox with this part: `#[toolbox(parts = [Admin])]`.
    HasPart<P>: [ToolboxPart<P>] =
    "`{P}` is not a part of the toolbox `{Self}`",
    "no block of `{Self}` is this part",
    "write `#[toolbox(part = {P})]` on another `impl` block of the type";

    /// An argument that can be serialised back to JSON, because a typed hook passes it on to a tool's own
    /// layers.
    WrittenAgain: [Serialize] =
    "a typed hook cannot be put here: `{Self}` cannot be written as an argument again",
    "an argument of this tool has no `Serialize`",
    "the tool has hooks or stages of its own, which get its arguments as JSON from the typed hook",
    "write `#[derive(serde::Serialize)]` on `{Self}`, or a raw hook (`args: &mut Args`), which can be put on any tool";
}

/// A value of a hook that a card gives as text, in this line.
#[diagnostic::on_unimplemented(
    message = "line {LINE} of the card gives text for a value of the type `{Self}`",
    label = "a hook of this card takes another value",
    note = "write the value in the card as a number, `true`, `false`, or a list of these; text is for types that implement `From<&str>`"
)]
pub trait TextInCard<const LINE: usize> {
    /// Makes the value.
    fn from_text(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>, const LINE: usize> TextInCard<LINE> for T {
    fn from_text(text: &'static str) -> Self {
        text.into()
    }
}

/// A field of the state at a placeholder of a literal.
#[diagnostic::on_unimplemented(
    message = "a text cannot show a field of the type `{Self}`",
    label = "a place shows a field that is `Display`",
    note = "name a field in it, with a dot, implement `Display` for the type, or compute the text with a function of the run"
)]
pub trait ShownInPrompt {
    /// The field as a text.
    fn shown(&self) -> &dyn Display;
}

#[diagnostic::do_not_recommend]
impl<T: Display> ShownInPrompt for T {
    fn shown(&self) -> &dyn Display {
        self
    }
}

/// A field of the state at a placeholder of a header's value.
#[diagnostic::on_unimplemented(
    message = "a header cannot contain a field of the type `{Self}`",
    label = "a place in a header is a secret",
    note = "the type of the field must be `Secret<String>`, or `Option<Secret<String>>` if a run may be without it"
)]
pub trait SecretInHeader {
    /// The secret, if there is one.
    fn secret(&self) -> Option<&Secret<String>>;
}

#[diagnostic::do_not_recommend]
impl SecretInHeader for Secret<String> {
    fn secret(&self) -> Option<&Secret<String>> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl SecretInHeader for Option<Secret<String>> {
    fn secret(&self) -> Option<&Secret<String>> {
        self.as_ref()
    }
}

/// Whether a hook of a function repeats calls: `Repeats::<H>::IS`. A repeating hook defines an inherent
/// constant, which the compiler prefers to that of [`RepeatsNothing`].
pub struct Repeats<H>(PhantomData<fn() -> H>);

/// All other hooks.
pub trait RepeatsNothing {
    /// It repeats no calls.
    const IS: bool = false;
}

impl<H> RepeatsNothing for Repeats<H> {}

/// The answer of the function in `approval = ..`.
pub fn approval_by<R: NeedsApproval + 'static>(needed: fn(&Args) -> R) -> Needed {
    Arc::new(move |args| needed(args).needed())
}

/// The arguments of a tool, all of which can be serialised back to JSON.
pub trait ArgumentsWrittenAgain {
    /// Unused value: naming it performs the check.
    const ARE: () = ();
}

impl ArgumentsWrittenAgain for () {}
