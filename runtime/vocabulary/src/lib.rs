//! The words of agents: the fields, limits and options that `agent!`, cards, workflows and the runtime read and write, and the messages
//! about them.
//!
//! The lists are closed enums, so code that uses a list does not compile until it handles a new word.
//! `agent!` adds spans, cards add positions, the loader creates values, and the texts for editors and the
//! tables of the documentation are generated from the rows.
//!
//! Programs use it through the crate `onionskin`; the items of this crate change without notice.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod agent;
mod built_in;
mod front_matter;
mod headers;
mod locked;
pub mod messages;
mod names;
mod nearest;
pub mod options;
pub mod placeholders;
pub mod prompt;
mod ready_hooks;
pub mod server_data;
pub mod settings;
pub mod synonyms;
mod words;

pub use built_in::{BuiltIn, MISSING_MCP, SKILL_FOLDERS};
pub use front_matter::{FrontMatter, FrontMatterMistake, front_matter};
pub use headers::{
    MISSING_MCP_HTTP, NO_HEADER_NAME, NO_HEADER_VALUE, header_name_mistake, header_twice,
    header_value_mistake,
};
pub use locked::{Locked, tool_mistake};
pub use messages::unknown;
pub use names::{
    AGENT_TOOL, LONGEST_AGENT_NAME, LONGEST_TOOL_NAME, agent_name_mistake, agent_tool, tool_name,
};
pub use nearest::{nearest, nearest_tool, similar};
pub use ready_hooks::{READY_HOOKS, path_in_cards, ready_hook, ready_hook_at};
pub use words::Word;
