//! The messages of a conversation, shared by all that hold it. `agent/running/model_request.rs` decides which of them a request holds.

use std::collections::HashSet;
use std::fmt;
use std::ops::{Index, Range};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Message, ToolCall};

/// The number of messages in a chunk.
const CHUNK: usize = 64;

/// The messages of a conversation, the oldest first.
///
/// A clone is a snapshot. Its cost does not depend on the length of the conversation, because it shares the messages
/// with the original. Appending to one does not change the other.
///
/// ```
/// use onionskin::model::{History, Message};
///
/// let mut history = History::from([Message::user("How warm is it?")]);
/// let before = history.clone();
/// history.push(Message::assistant("21 degrees"));
/// assert_eq!((before.len(), history.len()), (1, 2));
/// assert_eq!(history[1].to_text(), "21 degrees");
/// assert_eq!(history.iter().rev().next(), history.last());
/// ```
#[derive(Clone, Default)]
pub struct History {
    /// All messages except the newest, in chunks of [`CHUNK`].
    full: Arc<[Arc<Chunk>]>,
    /// The newest messages, fewer than [`CHUNK`].
    tail: Option<Arc<Chunk>>,
}

/// Consecutive messages.
#[derive(Default)]
struct Chunk {
    messages: Vec<Arc<Message>>,
    /// The ids of the tool calls, for full chunks only.
    calls: OnceLock<HashSet<Arc<str>>>,
    /// The sum of all messages up to the end of this chunk, for full chunks only. Chunks before a full one
    /// never change.
    sum: OnceLock<Sum>,
}

/// The counts that a script keeps of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sum {
    /// The number of the model's answers.
    pub(super) answers: usize,
    /// The number of words.
    pub(super) words: u64,
}

impl Sum {
    fn add(self, other: Self) -> Self {
        Self { answers: self.answers + other.answers, words: self.words + other.words }
    }
}

impl Clone for Chunk {
    fn clone(&self) -> Self {
        Self { messages: self.messages.clone(), ..Self::default() }
    }
}

impl History {
    /// Creates a conversation without messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.newest().len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The message at an index, counted from 0.
    pub fn get(&self, index: usize) -> Option<&Message> {
        self.shared(index).map(|message| &**message)
    }

    /// The newest message.
    pub fn last(&self) -> Option<&Message> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The messages, the oldest first.
    pub fn iter(&self) -> HistoryIter<'_> {
        HistoryIter { history: self, range: 0..self.len() }
    }

    /// Copies of all messages.
    pub fn to_vec(&self) -> Vec<Message> {
        self.iter().cloned().collect()
    }

    /// Appends a message.
    pub fn push(&mut self, message: Message) {
        self.push_shared(Arc::new(message));
    }

    /// Removes the newest message and returns it.
    pub fn pop(&mut self) -> Option<Message> {
        if self.tail.is_none() {
            let (last, before) = self.full.split_last()?;
            (self.tail, self.full) = (Some(Arc::clone(last)), before.into());
        }
        let tail = Arc::make_mut(self.tail.as_mut()?);
        (tail.calls, tail.sum) = Default::default();
        let message = tail.messages.pop();
        if tail.messages.is_empty() {
            self.tail = None;
        }
        message.map(Arc::unwrap_or_clone)
    }

    /// Returns the sum of all messages; `count` counts one message, and must return the same for the same
    /// message. Messages of full chunks are counted once, so the cost does not grow with the conversation.
    pub(super) fn sum(&self, mut count: impl FnMut(&Message) -> Sum) -> Sum {
        let mut add = |sum, messages: &[Arc<Message>]| {
            messages.iter().fold(sum, |sum: Sum, message| sum.add(count(message)))
        };
        let known = self.full.iter().rposition(|chunk| chunk.sum.get().is_some());
        let mut sum = known.and_then(|last| self.full[last].sum.get().copied()).unwrap_or_default();
        for chunk in &self.full[known.map_or(0, |last| last + 1)..] {
            sum = *chunk.sum.get_or_init(|| add(sum, &chunk.messages));
        }
        add(sum, self.newest())
    }

    fn newest(&self) -> &[Arc<Message>] {
        self.tail.as_ref().map_or(&[], |tail| &tail.messages)
    }

    fn shared(&self, index: usize) -> Option<&Arc<Message>> {
        match self.full.get(index / CHUNK) {
            Some(chunk) => chunk.messages.get(index % CHUNK),
            None => self.newest().get(index - self.full.len() * CHUNK),
        }
    }
}

fn calls(messages: &[Arc<Message>]) -> impl Iterator<Item = &ToolCall> {
    messages.iter().flat_map(|message| message.tool_calls())
}

impl Index<usize> for History {
    type Output = Message;

    fn index(&self, index: usize) -> &Message {
        match self.get(index) {
            Some(message) => message,
            None => panic!("message {index} of a conversation of {}", self.len()),
        }
    }
}

/// The messages of a [`History`], the oldest first.
#[derive(Clone)]
pub struct HistoryIter<'h> {
    history: &'h History,
    range: Range<usize>,
}

impl<'h> Iterator for HistoryIter<'h> {
    type Item = &'h Message;

    fn next(&mut self) -> Option<&'h Message> {
        self.history.get(self.range.next()?)
    }

    fn nth(&mut self, n: usize) -> Option<&'h Message> {
        self.history.get(self.range.nth(n)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl DoubleEndedIterator for HistoryIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.history.get(self.range.next_back()?)
    }
}

impl ExactSizeIterator for HistoryIter<'_> {}

impl fmt::Debug for HistoryIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'h> IntoIterator for &'h History {
    type Item = &'h Message;
    type IntoIter = HistoryIter<'h>;

    fn into_iter(self) -> HistoryIter<'h> {
        self.iter()
    }
}

/// Clones the messages, because other conversations may share them.
impl IntoIterator for History {
    type Item = Message;
    type IntoIter = std::vec::IntoIter<Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.to_vec().into_iter()
    }
}

impl Extend<Message> for History {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, messages: I) {
        messages.into_iter().for_each(|message| self.push(message));
    }
}

impl FromIterator<Message> for History {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        let mut history = Self::new();
        history.extend(messages);
        history
    }
}

impl From<Vec<Message>> for History {
    fn from(messages: Vec<Message>) -> Self {
        messages.into_iter().collect()
    }
}

impl<const N: usize> From<[Message; N]> for History {
    fn from(messages: [Message; N]) -> Self {
        messages.into_iter().collect()
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<M: AsRef<[Message]> + ?Sized> PartialEq<M> for History {
    fn eq(&self, other: &M) -> bool {
        self.iter().eq(other.as_ref())
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for History {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Message>::deserialize(deserializer).map(Self::from)
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl History {
    pub fn push_shared(&mut self, message: Arc<Message>) {
        let tail = self.tail.get_or_insert_default();
        let messages = &mut Arc::make_mut(tail).messages;
        messages.push(message);
        if messages.len() == CHUNK {
            self.full = self.full.iter().cloned().chain(self.tail.take()).collect();
        }
    }

    /// Appends the messages of another conversation, starting at an index.
    pub fn extend_from(&mut self, other: &Self, start: usize) {
        if start == 0 && self.is_empty() {
            *self = other.clone();
        } else {
            other.since(start).for_each(|message| self.push_shared(message));
        }
    }

    /// The messages, starting at an index.
    pub fn since(&self, start: usize) -> impl Iterator<Item = Arc<Message>> {
        (start..self.len()).filter_map(|index| self.shared(index).cloned())
    }

    /// The number of messages at the beginning that are the same in another conversation.
    pub fn same_as(&self, other: &Self) -> usize {
        let chunks = self.full.iter().zip(&*other.full).take_while(|(one, other)| Arc::ptr_eq(one, other));
        let mut same = chunks.count() * CHUNK;
        while let (Some(one), Some(other)) = (self.shared(same), other.shared(same)) {
            if !Arc::ptr_eq(one, other) && one != other {
                break;
            }
            same += 1;
        }
        same
    }

    /// Removes all messages after the first ones.
    pub fn truncate(&mut self, messages: usize) {
        if self.len().saturating_sub(messages) < CHUNK {
            while self.len() > messages {
                self.pop();
            }
        } else {
            *self = (0..messages).filter_map(|index| self.shared(index).cloned()).fold(
                Self::new(),
                |mut first, message| {
                    first.push_shared(message);
                    first
                },
            );
        }
    }

    /// The index of the first message that another conversation does not repeat.
    pub fn departs_at(&self, later: &Self) -> Option<usize> {
        let chunks = self.full.iter().zip(&*later.full).take_while(|(one, other)| Arc::ptr_eq(one, other));
        (chunks.count() * CHUNK..self.len()).find(|index| match (self.shared(*index), later.shared(*index)) {
            (Some(one), Some(other)) => !Arc::ptr_eq(one, other) && !one.is_sent_as(other),
            _ => true,
        })
    }

    /// Whether a tool call has this id. The cost is one lookup per chunk, not per message.
    pub fn has_call(&self, id: &str) -> bool {
        let is_in = |chunk: &Arc<Chunk>| {
            let ids = || calls(&chunk.messages).map(|call| Arc::clone(&call.id)).collect();
            chunk.calls.get_or_init(ids).contains(id)
        };
        calls(self.newest()).any(|call| &*call.id == id) || self.full.iter().any(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(number: usize) -> Message {
        Message::assistant(number.to_string())
    }

    fn numbered(count: usize) -> History {
        (0..count).map(said).collect()
    }

    #[test]
    fn a12_messages_come_back_in_order_at_every_length() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let (history, list): (_, Vec<_>) = (numbered(count), (0..count).map(said).collect());
            assert_eq!((history.len(), history.is_empty()), (count, count == 0));
            assert_eq!(history, list);
            assert_eq!(history.last(), list.last());
            assert_eq!(history.get(count), None);
            assert!(history.iter().rev().eq(list.iter().rev()));
            assert_eq!(history.iter().nth(CHUNK), list.get(CHUNK));
        }
    }

    #[test]
    fn a12_snapshots_do_not_see_what_comes_later() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1] {
            let mut history = numbered(count);
            let before = history.clone();
            history.extend([said(7), said(8)]);
            assert_eq!(before, numbered(count));
            assert_eq!((history.pop(), history.pop()), (Some(said(8)), Some(said(7))));
            assert_eq!(history, before);
        }
    }

    #[test]
    fn a12_all_messages_can_be_taken_out() {
        let mut history = numbered(2 * CHUNK + 1);
        let snapshot = history.clone();
        for number in (0..=2 * CHUNK).rev() {
            assert_eq!(history.pop(), Some(said(number)));
        }
        assert_eq!((history.pop(), history), (None, History::new()));
        assert_eq!(snapshot, numbered(2 * CHUNK + 1));
    }

    #[test]
    fn a7_ids_of_calls_are_found_at_every_place() {
        let asks = |number: usize| Message::Assistant {
            text: String::new(),
            tool_calls: vec![ToolCall::new(format!("call_{number}"), "f", "{}")],
            provider_data: None,
        };
        let mut history: History = (0..2 * CHUNK + 3).map(asks).collect();
        assert!((0..2 * CHUNK + 3).all(|number| history.has_call(&format!("call_{number}"))));
        assert!(!history.has_call("call_131"));
        // A removed message is not found any more, also if its chunk was searched before.
        (0..4).for_each(|_| drop(history.pop()));
        assert!(history.has_call("call_126") && !history.has_call("call_127"));
    }

    #[test]
    fn a12_a_sum_visits_old_messages_once() {
        let one = |message: &Message| Sum {
            answers: usize::from(matches!(message, Message::Assistant { .. })),
            words: message.to_text().parse().unwrap(),
        };
        let mut history = History::new();
        let mut total = 0;
        for number in 0..20 * CHUNK {
            total += number as u64;
            history.push(said(number));
            let mut visited = 0;
            let sum = history.clone().sum(|message| {
                visited += 1;
                one(message)
            });
            assert_eq!(sum, Sum { answers: number + 1, words: total });
            assert!(visited <= CHUNK, "{visited} of {number} messages");
        }
        // What was removed is not counted any more.
        for number in (0..20 * CHUNK).rev() {
            history.pop();
            total -= number as u64;
            assert_eq!(history.sum(one), Sum { answers: number, words: total });
        }
        let (mut first, mut second) = (numbered(CHUNK - 1), numbered(CHUNK - 1));
        first.push(said(1));
        second.push(Message::user("5"));
        assert_ne!(first.sum(one), second.sum(one));
    }

    #[test]
    fn o3_the_first_message_that_is_not_repeated_is_found_at_every_place() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3] {
            let history = numbered(count);
            let mut longer = history.clone();
            longer.push(said(7));
            assert_eq!(history.departs_at(&longer), None);
            assert_eq!(numbered(count).departs_at(&longer), None);
            assert_eq!(longer.departs_at(&history), Some(count));
            for changed in [0, count / 2, count.saturating_sub(1)].into_iter().filter(|at| *at < count) {
                let other: History =
                    (0..count).map(|at| said(if at == changed { 999 } else { at })).collect();
                assert_eq!(history.departs_at(&other), Some(changed));
            }
        }
        // The mark is not sent.
        let [user, by_runtime] =
            [Message::user("Go on."), Message::by_runtime("Go on.")].map(|one| History::from([one]));
        assert_eq!(user.departs_at(&by_runtime), None);
    }

    #[test]
    fn a12_a_history_is_written_as_a_list() {
        let history = numbered(CHUNK + 1);
        let json = serde_json::to_value(&history).unwrap();
        assert_eq!(json, serde_json::to_value(history.to_vec()).unwrap());
        assert_eq!(serde_json::from_value::<History>(json).unwrap(), history);
    }
}
