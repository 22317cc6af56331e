//! How hooks and guardrails are made where a list names them: what their `Made` can be.

use std::marker::PhantomData;
use std::sync::Arc;

use super::{Hook, Ring};
use crate::checks::{AtRunTime, ByDefault, HookMadeBy, MadeBy};

/// The values that `agent!` writes in parentheses after a hook's name.
pub type Values<H> = <<H as Hook>::Made as MadeBy<H>>::Values;

/// The state that a hook works on.
pub type StateOf<H> = <<H as Hook>::Made as MadeBy<H>>::State;

/// A ring of typed hooks with this hook outside of it, if it is one.
pub type RingOf<H, R> = <<H as Hook>::Made as HookMadeBy<H>>::Ring<R>;

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

impl<H: Default> HookMadeBy<H> for ByDefault {
    type Ring<R: Ring> = R;

    fn ring<R: Ring>(_: &Arc<H>, rest: R) -> R {
        rest
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
impl<H> HookMadeBy<H> for AtRunTime {
    type Ring<R: Ring> = R;

    fn ring<R: Ring>(_: &Arc<H>, rest: R) -> R {
        rest
    }
}

#[diagnostic::do_not_recommend]
impl<H, M: MadeBy<H>> MadeBy<Arc<H>> for InArc<M> {
    type State = M::State;
    type Values = M::Values;
    const TAKES: Option<usize> = M::TAKES;

    fn configure(values: M::Values) -> Arc<H> {
        Arc::new(M::configure(values))
    }
}

#[diagnostic::do_not_recommend]
impl<H, M: HookMadeBy<H>> HookMadeBy<Arc<H>> for InArc<M> {
    type Ring<R: Ring> = M::Ring<R>;
    const TYPED: bool = M::TYPED;

    fn ring<R: Ring>(hook: &Arc<Arc<H>>, rest: R) -> M::Ring<R> {
        M::ring(hook, rest)
    }
}

/// The item of [`Hook`] that every hand-written hook has in common. `raw_hook!(default)` is for a hook that
/// `agent!` can name, made by its `Default`; `raw_hook!()` for one that is added when the agent is built.
#[macro_export]
macro_rules! raw_hook {
    () => {
        type Made = $crate::checks::AtRunTime;
    };
    (default) => {
        type Made = $crate::checks::ByDefault;
    };
}
