//! How lists construct hooks and guardrails: the types that their `Made` can be.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Hook;

/// Describes how lists construct a hook or a guardrail `H`, and which state it works on: its `Made`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `Made` of `{H}`",
    label = "a macro of `onionskin` writes this",
    note = "in place of `type Made = ..;` write `onionskin::raw_hook!(default);` in a hook, and \
            `onionskin::raw_guardrail!(default);` in a guardrail, if lists make it by its `Default`; write \
            `onionskin::raw_hook!();` or `onionskin::raw_guardrail!();` if it is added at run time"
)]
pub trait MadeBy<H> {
    /// `State<S>`, or `()` for none.
    #[doc(hidden)]
    type State;

    /// The values in parentheses after its name in a list, as a tuple.
    #[doc(hidden)]
    type Values;

    /// Whether the hook is a typed hook, which is part of a ring.
    #[doc(hidden)]
    const TYPED: bool = false;

    /// The name of the tool that a typed hook is on.
    #[doc(hidden)]
    const TOOL: Option<&'static str> = None;

    /// The number of values; `None` if a list cannot name it.
    #[doc(hidden)]
    const TAKES: Option<usize> = Some(0);

    #[doc(hidden)]
    fn configure(values: Self::Values) -> H;
}

/// The `Made` of a hook or a guardrail that lists construct with [`Default`]: `raw_hook!(default)`,
/// `raw_guardrail!(default)`.
#[derive(Debug)]
pub enum ByDefault {}

/// The `Made` of a hook or a guardrail that lists cannot name: `raw_hook!()`, `raw_guardrail!()`.
#[derive(Debug)]
pub enum AtRunTime {}

/// One of a [`ToolSpec`](crate::ToolSpec)'s own hooks, cloned with the tool.
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

/// The values in parentheses after a hook's name in `agent!`.
pub type Values<H> = <<H as Hook>::Made as MadeBy<H>>::Values;

/// The state that a hook works on.
pub type StateOf<H> = <<H as Hook>::Made as MadeBy<H>>::State;

/// The values of a hook or a guardrail that a list cannot name.
#[derive(Debug, Clone, Copy)]
pub enum Never {}

/// Constructed as `M` describes, in an [`Arc`].
pub struct InArc<M>(PhantomData<fn() -> M>);

impl<H: Default> MadeBy<H> for ByDefault {
    type State = ();
    type Values = ();

    fn configure((): ()) -> H {
        H::default()
    }
}

#[diagnostic::do_not_recommend]
impl<H> MadeBy<H> for AtRunTime {
    type State = ();
    type Values = Never;
    const TAKES: Option<usize> = None;

    fn configure(never: Never) -> H {
        match never {}
    }
}

#[diagnostic::do_not_recommend]
impl<H, M: MadeBy<H>> MadeBy<Arc<H>> for InArc<M> {
    type State = M::State;
    type Values = M::Values;
    const TYPED: bool = M::TYPED;
    const TOOL: Option<&'static str> = M::TOOL;
    const TAKES: Option<usize> = M::TAKES;

    fn configure(values: M::Values) -> Arc<H> {
        Arc::new(M::configure(values))
    }
}
