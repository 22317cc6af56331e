//! Turn hooks: code around the turns of the model and the tool calls in them.

mod aside;
mod call;
mod completed;
mod erased;
mod forms;
mod hook;
mod request;

pub(crate) use aside::Aside;
pub use call::TurnToolCall;
pub use completed::CompletedTurn;
pub(crate) use erased::DynTurnHook;
pub use forms::{BeforeModelReturn, BeforeToolReturn, TurnHookReturn};
pub use hook::{StateOfTurnHook, TurnHook, ValuesOfTurnHook};
pub use request::{NoMessagesError, TurnRequest, UnknownToolError};
