//! The names of tools as agents write them: whether the lock file of servers has them, and the nearest known name.
//!
//! `agent!` and cards find the same mistakes with it, in the same words. It is a crate of its own because the macros use it also where
//! they read no cards, and so without the crates that read YAML and JSON.
//!
//! Programs use it through the crate `onionskin`; the items of this one change without notice.

#![forbid(unsafe_code)]

mod locked;
mod nearest;
mod pattern;

pub use locked::{Locked, tool_mistake};
pub use nearest::nearest;
