//! Typed hooks in an agent's list of hooks.

use std::sync::Arc;

use super::{EndRing, Ring};
use crate::context::Works;
use crate::onion::{AtRunTime, ByDefault, FromValues, Hook, InArc, ListValues, MadeBy};

/// As [`MadeBy`], for a hook, which may be typed and so part of a ring.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `Made` of `{H}`",
    label = "not one of the types in `onionskin::made`",
    note = "use `made::ByDefault` if lists build it with `Default`, `made::FromValues<(u32,)>` if from values (`limit(3)`), `made::AtRunTime` if it is only added at run time"
)]
pub trait HookMadeBy<H>: MadeBy<H> {
    /// The ring with this hook added if it is typed, else `R`.
    type Ring<R: Ring>: Ring;

    /// Adds this hook to the ring if it is typed.
    fn ring<R: Ring>(hook: &Arc<H>, rest: R) -> Self::Ring<R>;
}

/// A ring of typed hooks, with this hook around it if it is typed.
pub type RingOf<H, R> = <<H as Hook>::Made as HookMadeBy<H>>::Ring<R>;

/// Hand-written hooks are not typed.
macro_rules! not_typed {
    ($(impl<$($param:ident: $($bound:path)?),*> $made:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($param: $($bound)?),*> HookMadeBy<H> for $made {
            type Ring<R: Ring> = R;

            fn ring<R: Ring>(_: &Arc<H>, rest: R) -> R {
                rest
            }
        }
    )*};
}

not_typed! {
    impl<H: Default, S: Works> ByDefault<S>;
    impl<H: , V: ListValues<H>, S: Works> FromValues<V, S>;
    impl<H: , S: Works> AtRunTime<S>;
}

#[diagnostic::do_not_recommend]
impl<H, M: HookMadeBy<H>> HookMadeBy<Arc<H>> for InArc<M> {
    type Ring<R: Ring> = M::Ring<R>;

    fn ring<R: Ring>(hook: &Arc<Arc<H>>, rest: R) -> M::Ring<R> {
        M::ring(hook, rest)
    }
}

/// A hook that can be added at run time. Typed hooks cannot, because the declaration of the agent places them
/// at the tool.
///
/// Programs do not implement it: all hooks that are not typed have it.
#[diagnostic::on_unimplemented(
    message = "a typed hook cannot be added at run time",
    label = "a hook on one tool, `#[tool_hook(tool = ..)]`",
    note = "name it in the agent's `tool_hooks`, or write a raw hook: `args: &mut Args, next: impl Next`"
)]
pub trait RawHook: Hook {}

#[diagnostic::do_not_recommend]
impl<H: Hook<Made: HookMadeBy<H, Ring<EndRing> = EndRing>>> RawHook for H {}
