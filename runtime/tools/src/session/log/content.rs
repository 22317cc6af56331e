//! The content of a session, as its log describes it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::facts::Facts;
use crate::model::{History, Message, ToolCall, ToolResultMessage};
use crate::session::{SavedSession, SavedSessionError};
use crate::session_store::{Change, SessionRecord, ThreadKey};
use onionskin_definitions::content::ContentBlock;

/// The result of a call that the log has no result for.
const INTERRUPTED: &str = "the program ended before this call had a result: it may have taken effect";

/// What a log says.
#[derive(Default)]
pub(super) struct Content {
    pub(super) own: SessionPart,
    /// The conversations with agent tools.
    pub(super) threads: BTreeMap<ThreadKey, SessionPart>,
    pub(super) facts: Facts,
    /// The number of records.
    pub(super) count: u64,
}

/// A conversation: that of the session, or one with an agent tool.
#[derive(Default)]
pub(super) struct SessionPart {
    history: History,
    /// The results of calls of the newest message by their ids, until they are in the history.
    results: HashMap<Arc<str>, ToolResultMessage>,
    children: BTreeMap<Arc<str>, History>,
    values: Map<String, Value>,
    states: BTreeMap<Arc<str>, Value>,
}

impl SessionPart {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Message { message } => {
                self.close();
                self.history.push(message);
            }
            Change::Results { results } => {
                let results = self.replaced(results);
                self.results.extend(results.into_iter().map(|result| (Arc::clone(&result.call_id), result)));
                let calls = self.history.last().map_or(&[][..], Message::tool_calls);
                // Most records have the result of one call, so all calls are looked at only when there are enough results.
                if calls.len() <= self.results.len()
                    && calls.iter().all(|call| self.results.contains_key(&call.id))
                {
                    self.close();
                }
            }
            Change::Cut { messages } => {
                self.results.clear();
                self.history.truncate(messages);
            }
            Change::Child { child, from, messages } => {
                let history = self.children.entry(child).or_default();
                history.truncate(from);
                history.extend(messages);
            }
            Change::Value { key, value: Some(value) } => {
                self.values.insert(key, value);
            }
            Change::Value { key, value: None } => {
                onionskin_definitions::json::remove(&mut self.values, &key);
            }
            Change::State { name, value } => {
                self.states.insert(name, value);
            }
            // They are no parts of a conversation.
            Change::Began { .. }
            | Change::Thread { .. }
            | Change::Usage { .. }
            | Change::Paused { .. }
            | Change::Answered { .. }
            | Change::Step { .. }
            | Change::Resolved { .. }
            | Change::Rewound { .. } => {}
        }
    }

    /// Replaces results that the history has already, and returns the others.
    fn replaced(&mut self, results: Vec<ToolResultMessage>) -> Vec<ToolResultMessage> {
        let is_there = matches!(self.history.last(), Some(Message::Tool { .. }));
        let Some(Message::Tool { results: mut there }) = is_there.then(|| self.history.pop()).flatten()
        else {
            return results;
        };
        let mut others = Vec::new();
        for result in results {
            match there.iter_mut().find(|other| other.call_id == result.call_id) {
                Some(other) => *other = result,
                None => others.push(result),
            }
        }
        self.history.push(Message::tool(there));
        others
    }

    /// The number of messages after open calls are closed.
    fn closed_len(&self) -> usize {
        let is_open = self.history.last().is_some_and(|last| !last.tool_calls().is_empty());
        self.history.len() + usize::from(is_open)
    }

    /// Appends the results of the newest message's calls. A call without a result was interrupted.
    fn close(&mut self) {
        let mut results = std::mem::take(&mut self.results);
        let calls = self.history.last().map_or(&[][..], Message::tool_calls);
        let result = |call: &ToolCall| match results.remove(&call.id) {
            // A question has another name of the tool than the model.
            Some(written) => ToolResultMessage { name: Arc::clone(&call.name), ..written },
            None => {
                let text = [ContentBlock::text(INTERRUPTED)];
                let mut result = ToolResultMessage::new(Arc::clone(&call.id), Arc::clone(&call.name), text);
                result.is_error = true;
                result
            }
        };
        let all: Vec<_> = calls.iter().map(result).collect();
        if !all.is_empty() {
            self.history.push(Message::tool(all));
        }
    }

    /// The stored form.
    ///
    /// # Errors
    /// Returns an error if providers would reject one of the conversations.
    pub(super) fn into_saved(self) -> Result<SavedSession, SavedSessionError> {
        let Self { history, results: _, children, values, states } = self;
        SavedSession::from_parts(history, values, children, states).checked()
    }
}

impl Content {
    /// Reads the records of a log, from the first one.
    pub(super) fn new(records: Vec<SessionRecord>) -> Self {
        let (mut content, live) = Self::with_live(records);
        for (_, record) in live {
            match record.into_change() {
                Change::Thread { thread, change } => {
                    content.threads.entry(thread).or_default().apply(*change);
                }
                change => content.own.apply(change),
            }
        }
        content.own.close();
        content.threads.values_mut().for_each(SessionPart::close);
        content
    }

    /// Reads the records of a log without its conversations, and returns the records of these, each with its number:
    /// those that are neither set aside nor rewound.
    pub(super) fn with_live(records: Vec<SessionRecord>) -> (Self, Vec<(u64, SessionRecord)>) {
        let mut content = Self::default();
        let mut live: Vec<(u64, SessionRecord)> = Vec::new();
        for record in records {
            content.count += 1;
            content.facts.note(record.change());
            match record.change() {
                Change::Rewound { to } => live.truncate(live.partition_point(|(number, _)| number <= to)),
                Change::Message { .. }
                | Change::Results { .. }
                | Change::Cut { .. }
                | Change::Child { .. }
                | Change::Value { .. }
                | Change::State { .. }
                | Change::Thread { .. } => live.push((content.count, record)),
                Change::Began { .. }
                | Change::Usage { .. }
                | Change::Paused { .. }
                | Change::Answered { .. }
                | Change::Step { .. }
                | Change::Resolved { .. } => {}
            }
        }
        if let Some(pending) = &content.facts.pending {
            live.truncate(live.partition_point(|(number, _)| *number <= pending.since));
        }
        (content, live)
    }
}

/// The number of messages of the conversation.
pub(super) fn messages_of(live: &[(u64, SessionRecord)]) -> usize {
    let mut part = SessionPart::default();
    for (_, record) in live {
        part.apply(record.change().clone());
    }
    part.closed_len()
}

/// The number of records after which the conversation has its first `messages` messages, and the changes that belong to
/// them; `None` if it has fewer, or if a call would be split from its result.
pub(super) fn place_of(live: &[(u64, SessionRecord)], messages: usize) -> Option<u64> {
    let (mut part, mut before) = (SessionPart::default(), 0);
    let mut place = (messages == 0).then_some(0);
    for (number, record) in live {
        let change = record.change();
        let is_message = matches!(change, Change::Message { .. });
        // A message ends the calls before it, also those without a result.
        if is_message && part.closed_len() == messages {
            place = Some(before);
        }
        part.apply(change.clone());
        before = *number;
        match part.closed_len().cmp(&messages) {
            Ordering::Less => place = None,
            Ordering::Equal if part.closed_len() == part.history.len() => place = Some(before),
            Ordering::Equal | Ordering::Greater => {}
        }
    }
    if part.closed_len() == messages { Some(before) } else { place }
}
