//! Parts of a conversation that the model reads. A call is never split from its result.

use onionskin_macros::turn_hook;

use super::size::Newest;
use crate::turn_hook::TurnRequest;
use onionskin_tools::model::{History, HistoryError};

/// Shows the model the newest `inputs` messages of the user, and all that follows them. The newest one is always shown. The
/// session's history stays whole. Messages that the runtime wrote are not inputs ([`Message::is_input`](crate::model::Message::is_input)):
/// a question stays when its answer is asked for again.
///
/// ```
/// use onionskin::{agent, turn_hooks};
///
/// agent! { Clerk { instruction: "Answer.", turn_hooks: [turn_hooks::last_inputs(6)] } }
/// ```
///
/// # Errors
/// Returns an error if the conversation itself is not one that providers take.
#[turn_hook(before_llm_call)]
pub fn last_inputs(#[config] inputs: usize, request: &mut TurnRequest) -> Result<(), HistoryError> {
    let messages = request.messages();
    let starts = (0..messages.len()).rev().filter(|index| messages[*index].is_input());
    match starts.take(inputs.max(1)).last() {
        None | Some(0) => Ok(()),
        Some(start) => {
            let mut kept = History::new();
            kept.extend_from(messages, start);
            request.set_messages(kept)
        }
    }
}

/// Shows the model the newest messages of about `tokens` tokens, from a message of the user on. If the newest message of the user and
/// what follows it are more, the oldest answers with their results after it are left out; it and the newest answer are always
/// shown. The session's history stays whole.
///
/// The number of tokens is an estimate: 4 bytes of text are a token, also of an attached text, a message has 4 more, and an image or another content
/// that is not text has 1000. The system prompt and the tools are not counted.
///
/// ```
/// use onionskin::{agent, turn_hooks};
///
/// agent! { Clerk { instruction: "Answer.", turn_hooks: [turn_hooks::last_tokens(20_000)] } }
/// ```
///
/// # Errors
/// Returns an error if the conversation itself is not one that providers take.
#[turn_hook(before_llm_call)]
pub fn last_tokens(#[config] tokens: usize, request: &mut TurnRequest) -> Result<(), HistoryError> {
    let messages = request.messages();
    let kept = newest(messages, tokens);
    if kept.len() == messages.len() { Ok(()) } else { request.set_messages(kept) }
}

/// The newest messages of about this many tokens.
fn newest(messages: &History, most: usize) -> History {
    let Newest { input, start } = Newest::of(messages, most);
    let mut kept = History::new();
    // The newest input, then the newest answers that have room beside it.
    messages
        .since(input.unwrap_or(start))
        .take(usize::from(input.is_some()))
        .for_each(|input| kept.push_shared(input));
    kept.extend_from(messages, start);
    kept
}
