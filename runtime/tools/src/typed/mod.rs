//! Typed hooks: hooks on one tool with its typed arguments and output.

// `ring` composes the hooks, and `layered` combines them with the tool's own layers.

mod function;
mod layered;
mod made;
mod ring;

#[doc(hidden)]
pub use layered::{EncodedArgs, TypedCall, finish_typed, through};
pub use made::RawHook;
#[doc(hidden)]
pub use made::{HookMadeBy, RingOf};
pub use ring::{ArgsOf, OutputOf, TypedNext, TypedTool};
#[doc(hidden)]
pub use ring::{EndRing, Ring, TypedHook, TypedLayer, defined, run_in};
