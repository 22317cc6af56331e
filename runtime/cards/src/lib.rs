//! Agent cards as they are written: Markdown with YAML front matter, or YAML. This crate reads them and finds their mistakes. The macros
//! of onionskin make agents of them at compile time, and its loader at run time, with the same errors at the same places.
//!
//! Programs use both through the crate `onionskin`; the items of this one change without notice.

// `find` looks for the files of cards, by their `endings` and `paths`, and `children` for those of children. `file` reads one as a `source`.
// In a folder, `skip` passes over
// the files that are no cards. The front matter is found by the vocabulary, `yaml` and `json` give its values with their places, and `reader` reads them one by one. A `card` is the fields of one
// file, with an `item` of the program, the `target` of a filter or a `tool_use` in them. Cards that belong together are a `deck`: `deck_mistakes`
// and its `links` have the mistakes that they show together. `needs` are the items that a card names, and `item_errors` the mistakes in them,
// which the macros and the loader find. A `workflow` is a folder that is read as a deck, and `migrate` writes its old form anew. Each mistake is a
// `problem`. Words and messages that `agent!` has too are in the vocabulary.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod card;
mod children;
mod deck;
mod deck_mistakes;
mod endings;
mod file;
mod find;
mod item;
mod item_errors;
mod json;
mod links;
mod migrate;
mod needs;
mod paths;
mod problem;
mod reader;
mod skip;
mod source;
mod target;
mod tool_use;
mod workflow;
pub mod yaml;

pub use card::{
    Approval, ApprovalRule, Called, Card, Filter, Hook, HookItem, ServerHeaders, ServerPatterns, Text,
    Toolbox,
};
pub use children::children_beside;
pub use deck::{CardFile, Child, Deck, DeckError};
pub use endings::is_card;
pub use file::{LARGEST_FILE, read_file};
pub use find::{CardPath, CardPaths, find_cards, is_address};
pub use item::{Item, plain_path};
pub use migrate::{MigrateError, Migrated, Migration, migrate};
pub use needs::{Kind, Need, ValueKind};
pub use onionskin_vocabulary::Locked;
pub use paths::normal;
pub use problem::{CardError, MOST_SHOWN, Problem};
pub use skip::{has_card_field, skip_reason};
pub use source::{Origin, Places, Source, Spanned};
pub use target::Target;
pub use tool_use::ToolUse;
pub use workflow::{ItemFacts, Workflow, is_workflow_file, is_workflow_folder, workflow_files};
