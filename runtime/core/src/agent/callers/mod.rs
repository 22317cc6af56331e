//! How agents are called: by programs through a handle, and by parents as a tool.

pub(super) mod agent_tool;
pub(super) mod built;
pub(super) mod child_tool;
mod drive;
mod ending;
pub(super) mod handle;
mod options;
pub(super) mod request;
pub(super) mod stream;
pub(super) mod tool_call;
pub(super) mod typed_run;
