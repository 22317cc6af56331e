//! Message hooks: code on the messages between people, agents and their children.

mod hook;
mod hooks;
mod message;

pub(crate) use hook::DynMessageHook;
pub use hook::MessageHook;
pub(crate) use hooks::{AddedHook, MessageHooks};
pub use message::{Delivery, Participant, SentMessage};
