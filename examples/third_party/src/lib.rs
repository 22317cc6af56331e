//! An example of a crate by a third party: a model, a wrapper of models, two sources of tools, a tool, a wrapper of tools, a toolbox, hooks around calls
//! (one that requires approval and brings a tool), turns and runs, both guardrails, a tool and a guardrail that take a service, an approver, an answerer, a journal, a store of sessions, one of memories, an agent, a strategy for agents, a propagator of traces
//! and two forms of exports, all written by hand on the public, documented items of `onionskin-core`.
//!
//! Most of them together are a bank's clerk. [`clerk`] puts them together, and the program `third_party` runs it.

#![forbid(unsafe_code)]

mod answerer;
mod approver;
mod careful;
mod chat;
mod chat_protocol;
mod clerk;
mod contacts;
mod counted;
mod exports;
mod guardrails;
mod hook;
mod journal;
mod message_hook;
mod metered;
mod model;
mod notes;
mod openapi;
mod openapi_document;
mod propagator;
mod rates;
mod run_hook;
mod session_files;
mod shelf;
mod spending;
mod tool;
mod turn_hook;

pub use answerer::LetterBox;
pub use approver::UpTo;
pub use careful::Careful;
pub use chat::ChatModel;
pub use clerk::{Clerk, clerk};
pub use contacts::{Contacts, FindAccount, ToKnown};
pub use counted::Counted;
pub use exports::{Cohere, Mistral};
pub use guardrails::{HideAccounts, NotTo};
pub use hook::{AuditTrail, Payments};
pub use journal::FileJournal;
pub use message_hook::Discretion;
pub use metered::Metered;
pub use model::Dictated;
pub use notes::FileMemories;
pub use openapi::OpenApi;
pub use openapi_document::OpenApiError;
pub use propagator::Branch;
pub use rates::{RateTable, Rates};
pub use run_hook::Counter;
pub use session_files::SessionFiles;
pub use shelf::{Memory, Shelf, Store};
pub use spending::{Budget, Spent, Sum};
pub use tool::{Bank, Transfer};
pub use turn_hook::{Gist, Thrift};
