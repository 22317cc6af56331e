//! Calls of tools: what a call knows, the hooks and guardrails around it, models and their messages, journals, sessions and
//! questions. Nothing here knows an agent.
//!
//! Programs and libraries use the crate [`onionskin`](https://docs.rs/onionskin), which has these types under its own modules. What
//! this crate has beyond them is for the crates of the runtime.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod approval;
pub mod backoff;
pub mod caught;
pub mod context;
pub mod deadline;
pub mod event;
pub mod journal;
pub mod model;
pub mod onion;
pub mod policy;
pub mod question;
pub mod random;
pub mod services;
pub mod session;
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
