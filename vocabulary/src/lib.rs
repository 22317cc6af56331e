//! The words of agents: the fields, limits and options that `agent!`, cards, workflows and the runtime read and write, and the messages
//! about them.
//!
//! Programs use it through the crate `onionskin`; the items of this one change without notice.

#![forbid(unsafe_code)]

mod front_matter;
mod locked;
mod nearest;
pub mod places;

pub use front_matter::{FrontMatter, FrontMatterMistake, front_matter};
pub use locked::{Locked, tool_mistake};
pub use nearest::nearest;
