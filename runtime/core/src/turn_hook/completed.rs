//! A completed turn, for turn hooks.

use onionskin_tools::model::{History, Message, StopReason, Usage};

/// A turn whose answer and results are in the conversation.
///
/// ```
/// use onionskin::model::{History, Message};
/// use onionskin::turn_hooks::CompletedTurn;
///
/// let conversation = History::from([Message::user("Hello."), Message::assistant("Good morning.")]);
/// let turn = CompletedTurn::new(1, conversation, 1);
/// assert_eq!(turn.messages().next().unwrap().to_text(), "Good morning.");
/// ```
#[derive(Debug, Clone)]
pub struct CompletedTurn {
    turn: u32,
    conversation: History,
    /// The index of the turn's first message.
    start: usize,
    pub(crate) usage: Usage,
    pub(crate) stop: StopReason,
}

impl CompletedTurn {
    /// Creates a turn whose messages begin at the index `start` of a conversation, for tests of hooks.
    pub fn new(turn: u32, conversation: History, start: usize) -> Self {
        Self { turn, conversation, start, usage: Usage::default(), stop: StopReason::default() }
    }

    /// The turn, counted from 1.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The messages of the turn: the answer, the results of its calls, and the conversations of children that were merged.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.conversation.iter().skip(self.start)
    }

    /// The whole conversation, including this turn.
    pub fn conversation(&self) -> &History {
        &self.conversation
    }

    /// The tokens of the turn.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Why the model stopped.
    pub fn stop(&self) -> StopReason {
        self.stop
    }
}
