//! Typed hooks: hooks on one tool that get its typed arguments and its typed output.
//!
//! They run inside all raw hooks, next to the tool. `ring` composes them, and `layered` combines them with the tool's
//! own layers.

mod form;
mod function;
mod layered;
mod made;
mod ring;

#[doc(hidden)]
pub use form::{TypedArgs, TypedReturn};
#[doc(hidden)]
pub use layered::{Reading, TypedCall, Written, settled, through};
#[doc(hidden)]
pub use made::{HookMadeBy, RawHook, RingOf};
pub use ring::{ArgsOf, OutputOf, TypedNext, TypedTool};
#[doc(hidden)]
pub use ring::{EndRing, RawRing, Ring, TypedHook, TypedLayer, run_in};
