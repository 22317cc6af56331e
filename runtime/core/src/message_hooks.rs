#![doc = include_str!("docs/message_hooks.md")]

pub use crate::error::BoxError;
pub use crate::message_hook::{Delivery, MessageHook, Participant, SentMessage};
pub use crate::turn_hook::NoMessagesError;
#[doc = include_str!("docs/message_hook.md")]
pub use onionskin_macros::message_hook;
