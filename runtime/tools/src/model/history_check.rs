//! Checks that providers accept a conversation: after imports, restored sessions and hooks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{History, Message, ToolCall, ToolResultMessage};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::secret::{Redact, Redactor};

/// A reason why providers reject a conversation. Message indices count from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// A call has no result in the message after it.
    #[error(
        "message {index}: the call `{call_id}` of `{tool}` and its result are split: keep both, or remove both; the results of all calls \
         follow in the next message"
    )]
    #[non_exhaustive]
    OpenCall {
        /// The index of the message with the call.
        index: usize,
        /// The id of the call.
        call_id: Arc<str>,
        /// The name of the tool, as the model wrote it.
        tool: Arc<str>,
    },
    /// A result belongs to no call of the message before it, or to a call that has a result already.
    #[error(
        "message {index}: the result `{call_id}` of `{tool}` has no call of its own in the message before it: each call has one result, \
         in the next message"
    )]
    #[non_exhaustive]
    StrayResult {
        /// The index of the message with the result.
        index: usize,
        /// The id in the result.
        call_id: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
    },
    /// A call has no id, or the id of an earlier call.
    #[error("message {index}: the call `{call_id}` of `{tool}` needs a unique id in the conversation")]
    #[non_exhaustive]
    UsedId {
        /// The index of the message with the call.
        index: usize,
        /// The id of the call.
        call_id: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
    },
    /// A call names no tool.
    #[error("message {index}: the call `{call_id}` names no tool")]
    #[non_exhaustive]
    NoName {
        /// The index of the message with the call.
        index: usize,
        /// The id of the call.
        call_id: Arc<str>,
    },
    /// A result names another tool than its call.
    #[error(
        "message {index}: the result `{call_id}` is of `{tool}`, and its call is of `{called}`: name one tool in both"
    )]
    #[non_exhaustive]
    OtherTool {
        /// The index of the message with the result.
        index: usize,
        /// The id of the call.
        call_id: Arc<str>,
        /// The name of the tool in the result.
        tool: Arc<str>,
        /// The name of the tool in the call.
        called: Arc<str>,
    },
    /// A message is empty: it has no text, no other content, no call and no result.
    #[error("message {index} is empty: add a text, or remove the message")]
    #[non_exhaustive]
    Empty {
        /// The index of the message.
        index: usize,
    },
}

impl HistoryError {
    /// The index of the message, counted from 0.
    pub fn index(&self) -> usize {
        match self {
            Self::OpenCall { index, .. }
            | Self::StrayResult { index, .. }
            | Self::UsedId { index, .. }
            | Self::NoName { index, .. }
            | Self::OtherTool { index, .. }
            | Self::Empty { index } => *index,
        }
    }

    fn open(index: usize, call: &ToolCall) -> Self {
        Self::OpenCall { index, call_id: Arc::clone(&call.id), tool: Arc::clone(&call.name) }
    }

    fn stray(index: usize, result: &ToolResultMessage) -> Self {
        Self::StrayResult { index, call_id: Arc::clone(&result.call_id), tool: Arc::clone(&result.name) }
    }
}

impl Redact for HistoryError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::OpenCall { call_id, tool, .. }
            | Self::StrayResult { call_id, tool, .. }
            | Self::UsedId { call_id, tool, .. } => {
                redactor.redact_id(call_id);
                tool.redact(redactor);
            }
            Self::NoName { call_id, .. } => redactor.redact_id(call_id),
            Self::OtherTool { call_id, tool, called, .. } => {
                redactor.redact_id(call_id);
                tool.redact(redactor);
                called.redact(redactor);
            }
            Self::Empty { .. } => {}
        }
    }
}

impl History {
    /// Checks that providers accept the conversation: each call has one result, in the next message; each
    /// result belongs to a call of the same tool; each call has a unique id and the name of a tool; no
    /// message is empty. The cost grows with the number of messages.
    ///
    /// ```
    /// use onionskin::model::{History, HistoryError, Message, ModelResponse, ToolCall};
    ///
    /// let asked = ModelResponse::tool_calls([ToolCall::new("call-1", "add_one", r#"{"x": 41}"#)]);
    /// let history = History::from([Message::user("41 + 1?"), asked.into()]);
    /// assert!(matches!(history.check(), Err(HistoryError::OpenCall { index: 1, .. })));
    /// ```
    ///
    /// # Errors
    /// Returns the first mistake.
    pub fn check(&self) -> Result<(), HistoryError> {
        check(self)
    }
}

/// As [`History::check`], for other sequences of messages.
///
/// # Errors
/// Returns the first mistake.
pub fn check<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Result<(), HistoryError> {
    let (mut ids, mut open_calls): (HashSet<&str>, &[ToolCall]) = (HashSet::new(), &[]);
    let mut count = 0;
    for (index, message) in messages.into_iter().enumerate() {
        count = index + 1;
        let results: &[_] = match message {
            Message::Tool { results } => results,
            Message::User { .. } | Message::Assistant { .. } => &[],
        };
        answered(index, open_calls, results)?;
        if message.is_empty() {
            return Err(HistoryError::Empty { index });
        }
        open_calls = message.tool_calls();
        for call in open_calls {
            if call.id.is_empty() || !ids.insert(&call.id) {
                let (call_id, tool) = (Arc::clone(&call.id), Arc::clone(&call.name));
                return Err(HistoryError::UsedId { index, call_id, tool });
            }
            if call.name.is_empty() {
                return Err(HistoryError::NoName { index, call_id: Arc::clone(&call.id) });
            }
        }
    }
    answered(count, open_calls, &[])
}

/// Checks that the results of the message at this index match the calls of the message before it.
fn answered(index: usize, calls: &[ToolCall], results: &[ToolResultMessage]) -> Result<(), HistoryError> {
    let mut open: HashMap<&str, &ToolCall> = calls.iter().map(|call| (&*call.id, call)).collect();
    for result in results {
        let Some(call) = open.remove(&*result.call_id) else {
            return Err(HistoryError::stray(index, result));
        };
        if call.name != result.name {
            let (call_id, tool) = (Arc::clone(&call.id), Arc::clone(&result.name));
            return Err(HistoryError::OtherTool { index, call_id, tool, called: Arc::clone(&call.name) });
        }
    }
    match calls.iter().find(|call| open.contains_key(&*call.id)) {
        Some(call) => Err(HistoryError::open(index.saturating_sub(1), call)),
        None => Ok(()),
    }
}

fn is_blank(content: &ContentBlock) -> bool {
    match content {
        ContentBlock::Text(text) => text.trim().is_empty(),
        ContentBlock::Image(_)
        | ContentBlock::Audio(_)
        | ContentBlock::Resource(_)
        | ContentBlock::ResourceLink(_) => false,
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Message {
    /// Whether the message is empty. Providers reject empty messages.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::User { content, .. } => content.iter().all(is_blank),
            Self::Assistant { text, tool_calls, .. } => text.trim().is_empty() && tool_calls.is_empty(),
            Self::Tool { results } => results.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelResponse;

    fn asks(ids: &[&str]) -> Message {
        ModelResponse::tool_calls(ids.iter().map(|id| ToolCall::new(*id, "f", "{}"))).into()
    }

    fn results(ids: &[&str]) -> Message {
        Message::tool(ids.iter().map(|id| ToolResultMessage::new(*id, "f", ["1".into()])))
    }

    fn mistake(messages: impl IntoIterator<Item = Message>) -> HistoryError {
        History::from_iter(messages).check().unwrap_err()
    }

    #[test]
    fn a7_a_conversation_that_providers_take_is_taken() {
        let image = onionskin_definitions::content::Image(onionskin_definitions::content::Media::new(
            "iVBORw0KGgo=",
            "image/png",
        ));
        let taken = [
            Message::user_content([image.into()]),
            asks(&["a", "b"]),
            results(&["b", "a"]),
            Message::assistant("Done."),
            Message::user("More."),
        ];
        assert_eq!(History::from_iter(taken).check(), Ok(()));
        assert_eq!(History::new().check(), Ok(()));
    }

    #[test]
    fn a7_what_no_provider_takes_is_a_mistake_with_its_place() {
        use HistoryError as E;
        let hi = || Message::user("Hi.");
        let id = |error: &E| match error {
            E::OpenCall { call_id, .. }
            | E::StrayResult { call_id, .. }
            | E::UsedId { call_id, .. }
            | E::NoName { call_id, .. }
            | E::OtherTool { call_id, .. } => call_id.to_string(),
            E::Empty { .. } => String::new(),
        };
        let unnamed = ModelResponse::tool_calls([ToolCall::new("a", "", "{}")]);
        let of_g = ToolResultMessage::new("a", "g", ["1".into()]);
        let cases: [(E, usize, &str); 14] = [
            // Calls without a result: at the end, before another message, and one of two.
            (mistake([hi(), asks(&["a"])]), 1, "a"),
            (mistake([hi(), asks(&["a"]), hi(), results(&["a"])]), 1, "a"),
            (mistake([hi(), asks(&["a", "b"]), results(&["a"])]), 1, "b"),
            // Results without a call: at the start, after a text, of another call, and twice.
            (mistake([results(&["a"])]), 0, "a"),
            (mistake([hi(), Message::assistant("Yes."), results(&["a"])]), 2, "a"),
            (mistake([asks(&["a"]), results(&["b"])]), 1, "b"),
            (mistake([asks(&["a"]), results(&["a", "a"])]), 1, "a"),
            // Ids.
            (mistake([asks(&["a"]), results(&["a"]), asks(&["a"]), results(&["a"])]), 2, "a"),
            (mistake([asks(&[""]), results(&[""])]), 0, ""),
            // Names.
            (mistake([unnamed.into(), results(&["a"])]), 0, "a"),
            (mistake([hi(), asks(&["a"]), Message::tool([of_g])]), 2, "a"),
            // Texts.
            (mistake([Message::user(" \n")]), 0, ""),
            (mistake([hi(), Message::assistant("")]), 1, ""),
            (mistake([hi(), results(&[])]), 1, ""),
        ];
        for (error, index, call) in cases {
            assert_eq!((error.index(), &*id(&error)), (index, call), "{error}");
            assert!(error.to_string().starts_with(&format!("message {index}")), "{error}");
        }
        let empties = [mistake([Message::user_content([])]), mistake([Message::assistant("\t")])];
        assert!(empties.iter().all(|error| matches!(error, E::Empty { index: 0 })));
    }
}
