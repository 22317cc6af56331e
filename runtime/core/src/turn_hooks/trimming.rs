//! Limits the part of a conversation that the model reads. A call is never separated from its result.

use onionskin_macros::turn_hook;

use super::size::Newest;
use crate::turn_hook::TurnRequest;
use onionskin_tools::model::{History, HistoryError};

/// Sends the model the newest `inputs` messages of the user, and all messages after them. The newest one is
/// always sent. The session's history is unchanged. Messages that the runtime wrote are not inputs
/// ([`Message::is_input`](crate::model::Message::is_input)), so a question is kept when its answer is
/// requested again.
///
/// ```
/// use onionskin::{agent, turn_hooks};
///
/// agent! { Clerk { instruction: "Answer.", turn_hooks: [turn_hooks::last_inputs(6)] } }
/// ```
///
/// # Errors
/// Returns an error if providers would reject the conversation itself.
#[turn_hook(before_llm_call)]
pub fn last_inputs(#[config] inputs: usize, request: &mut TurnRequest) -> Result<(), HistoryError> {
    let messages = request.messages();
    let starts = (0..messages.len()).rev().filter(|index| messages[*index].is_input());
    match starts.take(inputs.max(1)).last() {
        None | Some(0) => Ok(()),
        Some(start) => {
            let mut remaining = History::new();
            remaining.extend_from(messages, start);
            request.set_messages(remaining)
        }
    }
}

/// Sends the model the newest messages of about `tokens` tokens, starting with a message of the user. If the
/// newest message of the user and the messages after it are more, the oldest answers after it are left out
/// with their results; it and the newest answer are always sent. The session's history is unchanged.
///
/// The number of tokens is an estimate: 4 bytes of text, also of an attached text, are a token, each message
/// has 4 more, and an image or any other content that is not text has 1000. The system prompt and the tools
/// are not counted.
///
/// ```
/// use onionskin::{agent, turn_hooks};
///
/// agent! { Clerk { instruction: "Answer.", turn_hooks: [turn_hooks::last_tokens(20_000)] } }
/// ```
///
/// # Errors
/// Returns an error if providers would reject the conversation itself.
#[turn_hook(before_llm_call)]
pub fn last_tokens(#[config] tokens: usize, request: &mut TurnRequest) -> Result<(), HistoryError> {
    let messages = request.messages();
    let remaining = newest(messages, tokens);
    if remaining.len() == messages.len() { Ok(()) } else { request.set_messages(remaining) }
}

/// The newest messages of about this many tokens.
fn newest(messages: &History, most: usize) -> History {
    let Newest { input, start } = Newest::new(messages, most);
    let mut remaining = History::new();
    // The newest input, then the newest answers that have room beside it.
    messages
        .since(input.unwrap_or(start))
        .take(usize::from(input.is_some()))
        .for_each(|input| remaining.push_shared(input));
    remaining.extend_from(messages, start);
    remaining
}
