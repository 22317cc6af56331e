//! Agent cards as they are written: Markdown with YAML front matter, or YAML. This crate reads them and finds their mistakes. The macros
//! of onionskin make agents of them at compile time, and its loader at run time, with the same errors at the same places.
//!
//! Programs use both through the crate `onionskin`; the items of this one change without notice.
#![forbid(unsafe_code)]

mod beside;
mod card;
mod deck;
mod endings;
mod file;
mod found;
mod json;
mod links;
mod markdown;
mod migrate;
mod needs;
mod paths;
mod problem;
mod reader;
mod source;
mod suggest;
mod target;
mod together;
mod tool_use;
mod use_of;
mod workflow;
mod yaml;

pub use beside::children_beside;
pub use card::{Called, Card, Filter, Hook, HookItem, TURN_PLACES, Text, Toolbox};
pub use deck::{CardFile, Child, Deck, DeckError};
pub use endings::is_card;
pub use file::{LARGEST_FILE, read_file};
pub use found::{FoundCard, FoundCards, found_cards};
pub use migrate::{MigrateError, Migrated, Migration, migrate};
pub use needs::{Kind, Need, ValueKind};
pub use paths::normal;
pub use problem::{CardError, Problem};
pub use source::{Origin, Source, Spanned};
pub use suggest::nearest;
pub use target::Target;
pub use tool_use::ToolUse;
pub use use_of::Item;
pub use workflow::{HOOK_TYPES, Seen, Workflow, workflow_files};
