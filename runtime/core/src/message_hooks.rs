#![doc = include_str!("docs/message_hooks.md")]

pub use crate::message_hook::{Delivery, MessageHook, Participant, SentMessage};
pub use crate::turn_hook::NoMessagesError;
pub use onionskin_definitions::error::BoxError;
#[doc(no_inline)]
pub use onionskin_macros::message_hook;
