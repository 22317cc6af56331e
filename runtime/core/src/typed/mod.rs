//! Typed hooks: hooks on one tool that get its typed arguments and its typed output.
//!
//! They run inside of all raw hooks, next to the tool: `ring` composes them, `layered` brings them together with what the tool
//! has of its own.

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
