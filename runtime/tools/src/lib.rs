//! Calls of tools without an agent: contexts, hooks and guardrails, models and their messages, journals,
//! sessions and questions.
//!
//! Use the crate [`onionskin`](https://docs.rs/onionskin), which re-exports the public types. The other items
//! are for the crates of the runtime.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod approval;
pub mod backoff;
pub mod budget;
pub mod caught;
pub mod context;
pub mod deadline;
pub mod event;
pub mod journal;
pub mod memory;
pub mod model;
pub mod onion;
pub mod policy;
pub mod question;
pub mod random;
pub mod search;
pub mod services;
pub mod session;
pub mod session_store;
pub mod spec;
pub mod state;
pub mod tool;
pub mod trace;
pub mod typed;

pub use context::{Inject, Progress, RunContext, State, ToolContext};
pub use event::RunOutput;
pub use model::{ScriptedModel, ScriptedTurn};
pub use onion::{Hook, Next};
pub use policy::Cache;
pub use services::Provided;
pub use session::Session;
pub use spec::ToolSpec;
pub use state::SessionState;
pub use tool::{DynTool, Tool, Toolbox};
