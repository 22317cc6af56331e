//! Ids of tool calls. Providers match results by id and reject duplicates, so the calls of a conversation
//! have unique ids.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::{History, Message, ToolCall};

/// The ids in use.
#[derive(Default)]
pub struct CallIds {
    /// The earlier conversation.
    earlier: History,
    /// The hashes of the ids of later calls. After a collision an id is replaced, which is harmless.
    taken: BTreeSet<u64>,
    /// The last suffix number of an id.
    last: HashMap<Arc<str>, u64>,
}

impl CallIds {
    /// The ids after these messages.
    pub fn after(earlier: History) -> Self {
        Self { earlier, ..Self::default() }
    }

    /// Adds an id. Returns whether it was unused.
    fn insert(&mut self, id: &str) -> bool {
        !self.earlier.has_call(id) && self.taken.insert(hash(id))
    }

    /// Adds the ids of these calls, unless one of them is empty or in use.
    ///
    /// # Errors
    /// Returns the call with that id.
    pub fn claim<'c>(&mut self, calls: &'c [ToolCall]) -> Result<(), &'c ToolCall> {
        let mut own = HashSet::new();
        for call in calls {
            if call.id.is_empty() || self.is_used(&call.id) || !own.insert(&*call.id) {
                return Err(call);
            }
        }
        for call in calls {
            self.insert(&call.id);
        }
        Ok(())
    }

    /// Makes the ids of these calls unique. A call without an unused id gets a new one.
    pub fn take(&mut self, calls: &mut [ToolCall]) {
        for call in calls {
            if call.id.is_empty() || !self.insert(&call.id) {
                call.id = self.another(&call.id);
            }
        }
    }

    /// Replaces ids that are in use, without adding the new ids. A redacted id does not equal the id in use,
    /// although requests redact both to the same text.
    pub fn distinguish(&mut self, calls: &mut [ToolCall]) {
        for call in calls {
            if self.is_used(&call.id) {
                call.id = self.numbered(&call.id, |ids, other| !ids.is_used(other));
            }
        }
    }

    /// The id that [`Self::take`] would assign to a call, and that is not one of `others`.
    pub fn preview(&self, id: &Arc<str>, others: &HashSet<Arc<str>>) -> Arc<str> {
        let is_free = |id: &str| !self.is_used(id) && !others.contains(id);
        if !id.is_empty() && is_free(id) {
            return Arc::clone(id);
        }
        let mut number = self.last_number(id);
        loop {
            number += 1;
            let other = numbered_id(id, number);
            if is_free(&other) {
                break other;
            }
        }
    }

    fn is_used(&self, id: &str) -> bool {
        self.earlier.has_call(id) || self.taken.contains(&hash(id))
    }

    /// As [`Self::take`], for messages of another conversation. The ids of results follow those of their
    /// calls. Unchanged messages stay shared.
    pub fn take_messages(&mut self, messages: &mut [Arc<Message>]) {
        let mut ids: Vec<Arc<str>> = Vec::new();
        for message in messages {
            match &**message {
                Message::Assistant { tool_calls, .. } => {
                    let mut calls = tool_calls.clone();
                    self.take(&mut calls);
                    ids = calls.iter().map(|call| Arc::clone(&call.id)).collect();
                    if calls != *tool_calls
                        && let Message::Assistant { tool_calls, .. } = Arc::make_mut(message)
                    {
                        *tool_calls = calls;
                    }
                }
                Message::Tool { results } => {
                    if results.iter().zip(&ids).any(|(result, id)| result.call_id != *id)
                        && let Message::Tool { results } = Arc::make_mut(message)
                    {
                        for (result, id) in results.iter_mut().zip(&ids) {
                            result.call_id = Arc::clone(id);
                        }
                    }
                    ids.clear();
                }
                Message::User { .. } => {}
            }
        }
    }

    fn another(&mut self, id: &Arc<str>) -> Arc<str> {
        self.numbered(id, Self::insert)
    }

    /// The id with the next numeric suffix for which `is_free` returns `true`.
    fn numbered(&mut self, id: &Arc<str>, is_free: impl Fn(&mut Self, &str) -> bool) -> Arc<str> {
        let mut number = self.last_number(id);
        let other = loop {
            number += 1;
            let other = numbered_id(id, number);
            if is_free(self, &other) {
                break other;
            }
        };
        self.last.insert(Arc::clone(id), number);
        other
    }

    fn last_number(&self, id: &str) -> u64 {
        self.last.get(id).copied().unwrap_or(1)
    }
}

fn numbered_id(id: &str, number: u64) -> Arc<str> {
    let base = if id.is_empty() { "call" } else { id };
    format!("{base}_{number}").into()
}

/// FNV-1a, because the standard library's hash took 5 % of a turn.
fn hash(id: &str) -> u64 {
    id.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolResultMessage;

    fn calls(ids: &[&str]) -> Vec<ToolCall> {
        ids.iter().map(|id| ToolCall::new(*id, "f", "{}")).collect()
    }

    fn ids(calls: &[ToolCall]) -> Vec<&str> {
        calls.iter().map(|call| &*call.id).collect()
    }

    #[test]
    fn a7_calls_of_one_id_get_ids_that_no_other_has() {
        let mut repeated = calls(&["one", "one", "", "one_2", "one", ""]);
        CallIds::default().take(&mut repeated);
        assert_eq!(ids(&repeated), ["one", "one_2", "call_2", "one_2_2", "one_3", "call_3"]);
    }

    #[test]
    fn a7_the_id_of_a_call_is_known_before_it_is_taken() {
        let mut ids = CallIds::default();
        ids.take(&mut calls(&["one", "one"]));
        for id in ["one", "two", ""] {
            let known = ids.preview(&id.into(), &HashSet::new());
            assert_eq!(ids.preview(&id.into(), &HashSet::new()), known);
            let mut taken = calls(&[id]);
            ids.take(&mut taken);
            assert_eq!(taken[0].id, known);
        }
        let others = ["four", "four_2"].map(Arc::from).into();
        assert_eq!(&*ids.preview(&"four".into(), &others), "four_3");
    }

    #[test]
    fn a7_many_calls_of_one_id_get_ids_in_time_that_grows_with_their_number() {
        let mut repeated = calls(&vec!["one"; 50_000]);
        CallIds::default().take(&mut repeated);
        assert_eq!(repeated.iter().map(|call| &call.id).collect::<HashSet<_>>().len(), 50_000);
    }

    #[test]
    fn a5_results_of_a_merged_conversation_follow_their_calls() {
        let said = |ids: &[&str]| Message::Assistant {
            text: String::new(),
            tool_calls: calls(ids),
            provider_data: None,
        };
        let results = |ids: &[&str]| Message::Tool {
            results: ids
                .iter()
                .map(|id| ToolResultMessage {
                    call_id: (*id).into(),
                    name: "f".into(),
                    content: Arc::default(),
                    is_error: false,
                })
                .collect(),
        };
        let mut merged =
            [said(&["a", "b"]), results(&["a", "b"]), said(&["a"]), results(&["a"])].map(Arc::new);
        CallIds::after([said(&["b"])].into()).take_messages(&mut merged);
        let expected = [said(&["a", "b_2"]), results(&["a", "b_2"]), said(&["a_2"]), results(&["a_2"])];
        assert_eq!(merged, expected.map(Arc::new));
    }
}
