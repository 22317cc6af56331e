//! Turn hooks: code around model turns and the tool calls in them.

mod aside;
mod call;
mod completed;
mod hook;
mod request;

pub(crate) use aside::Aside;
pub use call::TurnToolCall;
pub use completed::CompletedTurn;
pub(crate) use hook::DynTurnHook;
pub use hook::TurnHook;
pub use request::{NoMessagesError, TurnRequest, UnknownToolError};
