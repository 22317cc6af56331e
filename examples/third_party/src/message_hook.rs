//! A hook on the messages of an agent.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::message_hooks::{BoxError, Delivery, MessageHook, Participant, SentMessage};
use onionskin_core::model::{History, Message};
use onionskin_core::{RunContext, made};

/// Keeps account numbers out of all messages, drops empty small talk, and hides from the model what came before the newest input. Clones
/// count together.
#[derive(Debug, Clone, Default)]
pub struct Discretion {
    hidden: Arc<Mutex<u32>>,
}

impl Discretion {
    /// How many account numbers were hidden.
    pub fn hidden(&self) -> u32 {
        *self.hidden.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_account(word: &str) -> bool {
    word.len() >= 8 && word.chars().all(|letter| letter.is_ascii_digit())
}

impl MessageHook for Discretion {
    type Made = made::AtRunTime;

    async fn process_message_before_send(
        &self,
        _run: &RunContext,
        sender: &Participant,
        message: &mut SentMessage,
        _recipient: &Participant,
        _silent: bool,
    ) -> Result<Delivery, BoxError> {
        if *sender == Participant::User && message.text() == "..." {
            return Ok(Delivery::Drop);
        }
        let words: Vec<_> = message.text().split(' ').collect();
        let count = words.iter().filter(|word| is_account(word)).count();
        let words: Vec<_> =
            words.iter().map(|word| if is_account(word) { "[account]" } else { word }).collect();
        message.set_text(words.join(" "));
        *self.hidden.lock().unwrap_or_else(PoisonError::into_inner) += u32::try_from(count)?;
        Ok(Delivery::Send)
    }

    async fn process_all_messages_before_reply(
        &self,
        _run: &RunContext,
        messages: &mut History,
    ) -> Result<(), BoxError> {
        let newest = messages.iter().rposition(Message::is_input);
        *messages = messages.iter().skip(newest.unwrap_or_default()).cloned().collect::<Vec<_>>().into();
        Ok(())
    }
}
