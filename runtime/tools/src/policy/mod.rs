//! A tool's own layers around its function: hooks, and inside them stages (approval, cache, guardrails and
//! error handlers).
//!
//! A `#[tool]` with such options has a [`ToolPolicy`]. A [`ToolSpec`](crate::ToolSpec) has hooks and stages
//! that are added at run time. Both run through a `stack`. Tools without them have no stack, not even a check
//! for one.

mod agent_wide;
mod approval;
mod cache;
mod check;
mod declared;
mod fill;
mod guardrail;
mod inside;
mod on_error;
mod results;
mod stack;
mod stages;

pub use agent_wide::{AgentGuardrails, Concerns, OnCalls, RequireApproval};
pub use cache::{Cache, CacheKey, keyed};
pub(crate) use cache::{Flights, no_cache_of_once};
pub use declared::{ToolPolicy, recover};
pub(crate) use fill::{Fill, fill_in};
pub use guardrail::{
    DynInputGuardrail, DynOutputGuardrail, InputGuardrail, InputGuardrails, OutputGuardrail, OutputGuardrails,
};
pub(crate) use inside::Inside;
pub use on_error::ErrorHandler;
pub(crate) use on_error::answer;
pub use results::CachedResults;
pub(crate) use stack::{ForEach, Stack};
pub(crate) use stages::Stages;
