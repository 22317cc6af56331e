//! Message hooks: code on the messages between people, agents and their children.

mod erased;
mod forms;
mod hook;
mod hooks;
mod message;

pub(crate) use erased::DynMessageHook;
pub use forms::{BeforeReplyReturn, BeforeSendReturn};
pub use hook::{MessageHook, StateOfMessageHook, ValuesOfMessageHook};
pub(crate) use hooks::MessageHooks;
pub use message::{Delivery, Participant, SentMessage};
