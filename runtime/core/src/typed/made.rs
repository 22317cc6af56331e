//! Which hooks are typed ones, where an agent names them.

use std::sync::Arc;

use super::{EndRing, RawRing, Ring};
use crate::onion::{AtRunTime, ByDefault, Hook, InArc, MadeBy};

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

    /// Makes this hook part of the ring, if it is a typed one.
    #[doc(hidden)]
    fn ring<R: Ring>(hook: &Arc<H>, rest: R) -> Self::Ring<R>;
}

/// A ring of typed hooks with this hook outside of it, if it is one.
pub type RingOf<H, R> = <<H as Hook>::Made as HookMadeBy<H>>::Ring<R>;

impl<H: Default> HookMadeBy<H> for ByDefault {
    type Ring<R: Ring> = R;

    fn ring<R: Ring>(_: &Arc<H>, rest: R) -> R {
        rest
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
impl<H, M: HookMadeBy<H>> HookMadeBy<Arc<H>> for InArc<M> {
    type Ring<R: Ring> = M::Ring<R>;

    fn ring<R: Ring>(hook: &Arc<Arc<H>>, rest: R) -> M::Ring<R> {
        M::ring(hook, rest)
    }
}

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
