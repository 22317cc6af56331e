//! Built agents as their runs use them, and the parts that the agents of a program share.

pub(super) mod initial_state;
pub(super) mod instance;
pub(super) mod prompt;
pub(super) mod run_ids;
pub(super) mod services;
pub(super) mod shared;
pub(super) mod stored_sessions;
pub(super) mod tool_checks;
pub(super) mod tool_list;
pub(super) mod toolboxes;
