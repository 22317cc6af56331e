//! Estimates the size of messages, and selects the newest.

use onionskin_definitions::content::ContentBlock;
use onionskin_tools::model::{History, Message};

/// The newest messages of about a number of tokens.
pub(super) struct Newest {
    /// The index of the newest message of the user, if it is before the others.
    pub(super) input: Option<usize>,
    /// The index of the first of the others.
    pub(super) start: usize,
}

impl Newest {
    pub(super) fn new(messages: &History, most: usize) -> Self {
        let (mut sum, mut start, mut input) = (0_usize, None, None);
        for (index, message) in messages.iter().enumerate().rev() {
            sum = sum.saturating_add(tokens(message));
            if message.is_input() {
                input = input.or(Some((index, tokens(message))));
                if sum > most {
                    break;
                }
                start = Some(index);
            }
        }
        match (start, input) {
            (Some(start), _) => Self { input: None, start },
            (None, None) => Self { input: None, start: 0 },
            (None, Some((input, size))) => {
                let (mut sum, mut start) = (size, messages.len());
                for index in (input + 1..messages.len()).rev() {
                    sum = sum.saturating_add(tokens(&messages[index]));
                    let is_answer = matches!(messages[index], Message::Assistant { .. });
                    if sum > most && start < messages.len() {
                        break;
                    }
                    if is_answer {
                        start = index;
                    }
                }
                Self { input: Some(input), start }
            }
        }
    }
}

/// The estimated number of tokens of these messages.
pub(super) fn tokens_of<'m>(messages: impl IntoIterator<Item = &'m Message>) -> usize {
    messages.into_iter().fold(0, |sum, message| sum.saturating_add(tokens(message)))
}

/// The estimated number of tokens of a message.
pub(super) fn tokens(message: &Message) -> usize {
    let of_content = |content: &[ContentBlock]| {
        let sizes = content.iter().map(|block| block.readable().map_or(1000, |text| text.len().div_ceil(4)));
        sizes.sum::<usize>()
    };
    4 + match message {
        Message::User { content, .. } => of_content(content),
        Message::Assistant { text, tool_calls, .. } => {
            let calls =
                tool_calls.iter().map(|call| (call.name.len() + call.arguments.len()).div_ceil(4) + 4);
            text.len().div_ceil(4) + calls.sum::<usize>()
        }
        Message::Tool { results, .. } => results.iter().map(|result| of_content(&result.content) + 4).sum(),
    }
}
