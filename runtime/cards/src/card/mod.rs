//! An agent card: its fields, read and checked.

mod approval;
mod check;
mod filter;
mod hooks;
mod locked;
mod model;
mod other_frameworks;
mod read;
mod warnings;
mod write;

pub use filter::Called;
pub use model::{
    Approval, ApprovalRule, Card, Filter, Hook, HookItem, ServerHeaders, ServerPatterns, Text, Toolbox,
};
pub(crate) use read::card_from_fields;
