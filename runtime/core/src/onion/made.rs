//! How hooks and guardrails are made where a list names them: what their `Made` can be.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Hook;

/// What says of a hook or a guardrail `H` how lists make it and which state it works on: its `Made`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `Made` of `{H}`",
    label = "a macro of `onionskin` writes this",
    note = "in place of `type Made = ..;` write `onionskin::raw_hook!(default);` in a hook, and \
            `onionskin::raw_guardrail!(default);` in a guardrail, if lists make it by its `Default`; write \
            `onionskin::raw_hook!();` or `onionskin::raw_guardrail!();` if it is added at run time"
)]
pub trait MadeBy<H> {
    /// `State<S>` if it takes one, else `()`.
    #[doc(hidden)]
    type State;

    /// What a list writes in parentheses after its name, as a tuple.
    #[doc(hidden)]
    type Values;

    /// Whether it is a typed hook, which is part of a ring.
    #[doc(hidden)]
    const TYPED: bool = false;

    /// How many values that is; none if a list cannot name it.
    #[doc(hidden)]
    const TAKES: Option<usize> = Some(0);

    #[doc(hidden)]
    fn configure(values: Self::Values) -> H;
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

/// The values that `agent!` writes in parentheses after a hook's name.
pub type Values<H> = <<H as Hook>::Made as MadeBy<H>>::Values;

/// The state that a hook works on.
pub type StateOf<H> = <<H as Hook>::Made as MadeBy<H>>::State;

/// The values that a list would need for what it cannot make.
#[derive(Debug, Clone, Copy)]
pub enum Never {}

/// It is made as `M` says, and is in an [`Arc`] then.
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
    const TAKES: Option<usize> = M::TAKES;

    fn configure(values: M::Values) -> Arc<H> {
        Arc::new(M::configure(values))
    }
}
