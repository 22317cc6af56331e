#![doc = include_str!("../docs/turn_hooks.md")]

mod choosing;
mod session_summary;
mod size;
mod summarizing;
mod summary;
mod trimming;

pub use choosing::choose_tool;
pub use session_summary::SessionSummary;
pub use summarizing::{SummaryError, SummaryFailure, SummaryOptions, summarize, summarize_above};
pub use trimming::{last_inputs, last_tokens};

pub use crate::turn_hook::{
    CompletedTurn, NoMessagesError, TurnHook, TurnRequest, TurnToolCall, UnknownToolError,
};
pub use onionskin_definitions::error::BoxError;
