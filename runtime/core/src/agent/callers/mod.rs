//! An agent for its callers: programs hold a handle, parents call a tool.

pub(super) mod agent_tool;
pub(super) mod built;
pub(super) mod child_tool;
mod drive;
pub(super) mod handle;
pub(super) mod request;
pub(super) mod stream;
pub(super) mod typed_run;
