//! Agents of cards that a program reads at run time: a [`CardLoader`] makes them, with the program's tools and hooks from a [`Registry`].

// - `items` and `registry`: what a program registers; `entry` is its form inside.
// - `loader` reads the cards and makes their agents. `find` looks for what they name, also in a `script`, and `plan` declares the agent of a
//   card, with `filter`, `tools`, `settings`, `state`, `values`, and with `builtin`, which has what features add. The agents are `loaded` then. `error`
//   collects the mistakes.
// - `watch` loads cards again when they change: the `cache` has the previous cards, and `stamps` detects changed files.
// - `fetch` gets the cards of an `address`. What may take long is done on a `thread` that may block.
// - `workflow` loads workflow folders.
// - `dump` writes agents of the program as cards.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod builtin;
mod cache;
mod dump;
mod error;
#[cfg(feature = "loader-url")]
mod fetch;
mod filter;
mod find;
mod items;
mod loaded;
mod loader;
mod panics;
mod plan;
mod pure;
mod registered_item;
mod registered_tool;
mod registry;
mod script;
mod settings;
mod stamps;
mod state;
mod thread;
mod tools;
mod values;
mod watch;
mod workflow;

pub use dump::DumpError;
pub use error::{LoadError, Mistake, MistakeKind};
#[cfg(feature = "loader-url")]
pub use fetch::CardUrls;
pub use items::Items;
pub use loaded::{CardText, LoadedCards};
pub use loader::CardLoader;
pub use registered_tool::RegisteredTool;
pub use registry::Registry;
pub use state::{RecordedState, StateParts};
pub use values::HookValues;
pub use watch::{CardChanges, CardWatch, ReloadError, WatchedCards};
pub use workflow::LoadedWorkflow;
