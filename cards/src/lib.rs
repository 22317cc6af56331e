//! Agent cards as they are written: Markdown with YAML front matter, or YAML. This crate reads them and finds their mistakes. The macros
//! of onionskin make agents of them at compile time, and its loader at run time, with the same errors at the same places.
//!
//! Programs use both through the crate `onionskin`; the items of this one change without notice.
#![forbid(unsafe_code)]

mod card;
mod children;
mod deck;
mod deck_mistakes;
mod endings;
mod file;
mod found;
mod item;
mod item_errors;
mod json;
mod links;
mod markdown;
mod migrate;
mod needs;
mod paths;
mod problem;
mod reader;
mod ready_hooks;
mod source;
mod suggest;
mod target;
mod tool_use;
mod workflow;
mod yaml;

pub use card::{Called, Card, Filter, Hook, HookItem, TURN_PLACES, Text, Toolbox};
pub use children::children_beside;
pub use deck::{CardFile, Child, Deck, DeckError};
pub use endings::is_card;
pub use file::{LARGEST_FILE, read_file};
pub use found::{FoundCard, FoundCards, found_cards};
pub use item::{Item, plain_path};
pub use migrate::{MigrateError, Migrated, Migration, migrate};
pub use needs::{Kind, Need, ValueKind};
pub use paths::normal;
pub use problem::{CardError, Problem};
pub use ready_hooks::READY_HOOKS;
pub use source::{Origin, Source, Spanned};
pub use suggest::nearest;
pub use target::Target;
pub use tool_use::ToolUse;
pub use workflow::{HOOK_TYPES, Seen, Workflow, is_workflow_file, is_workflow_folder, workflow_files};
