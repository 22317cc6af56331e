//! Pieces of calls, from the texts that genai passes on, each of which has all that came before it.

use std::sync::Arc;

use genai::chat::ToolCall as Theirs;
use serde_json::Value;

use onionskin_core::model::{ToolCall, ToolCallDelta};

use crate::parts::{argument_text, numbered_id};

/// The calls of an answer that are passed on in pieces.
#[derive(Default)]
pub(super) struct CallPieces(Vec<BegunCall>);

struct BegunCall {
    id: Arc<str>,
    name: Arc<str>,
    /// The length of the text that was passed on.
    passed: usize,
}

impl CallPieces {
    /// The next piece of a call, if there is one to pass on.
    pub(super) fn next(&mut self, call: &Theirs) -> Option<ToolCallDelta> {
        let (id, name) = (&*call.call_id, &*call.fn_name);
        if name.is_empty() {
            return None;
        }
        let known = self.0.iter().position(|begun| *begun.id == *id);
        let Value::String(text) = &call.fn_arguments else {
            let is_own = !id.is_empty() && known.is_none();
            let id = if is_own { id.to_owned() } else { numbered_id(id, self.0.len() + 1) };
            return Some(self.begin(&id, name).pass(&argument_text(&call.fn_arguments, None)));
        };
        // Without an id, pieces of two calls cannot be distinguished.
        if id.is_empty() {
            return None;
        }
        let begun = match known {
            Some(at) => &mut self.0[at],
            None => self.begin(id, name),
        };
        let piece = begun.pass(if is_decided(text) { text } else { "" });
        (known.is_none() || !piece.arguments.is_empty()).then_some(piece)
    }

    fn begin(&mut self, id: &str, name: &str) -> &mut BegunCall {
        let at = self.0.len();
        self.0.push(BegunCall { id: id.into(), name: name.into(), passed: 0 });
        &mut self.0[at]
    }

    /// The rest of the arguments of these calls, which are all calls of the answer.
    pub(super) fn rests(self, calls: &[ToolCall]) -> Vec<ToolCallDelta> {
        let rest = |mut begun: BegunCall| {
            let call = calls.iter().find(|call| call.id == begun.id)?;
            Some(begun.pass(&call.arguments)).filter(|piece| !piece.arguments.is_empty())
        };
        self.0.into_iter().filter_map(rest).collect()
    }
}

impl BegunCall {
    /// The part of the text that was not passed on.
    fn pass(&mut self, text: &str) -> ToolCallDelta {
        let arguments = text.get(self.passed..).unwrap_or_default();
        self.passed += arguments.len();
        ToolCallDelta::new(Arc::clone(&self.id), Arc::clone(&self.name), arguments)
    }
}

/// Whether the text is the beginning of the arguments: an empty one and `null` become an empty object.
fn is_decided(text: &str) -> bool {
    !"null".starts_with(text.trim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn piece(pieces: &mut CallPieces, id: &str, name: &str, arguments: Value) -> Option<(String, String)> {
        let (call_id, fn_name) = (id.to_owned(), name.to_owned());
        let call = Theirs { call_id, fn_name, fn_arguments: arguments, thought_signatures: None };
        pieces.next(&call).map(|piece| (piece.id.to_string(), piece.arguments))
    }

    fn one(id: &str, arguments: &str) -> (String, String) {
        (id.to_owned(), arguments.to_owned())
    }

    #[test]
    fn o3_texts_from_the_beginning_on_become_pieces() {
        let mut pieces = CallPieces::default();
        let mut next = |id, text: &str| piece(&mut pieces, id, "f", json!(text));
        assert_eq!(next("a", ""), Some(one("a", "")), "the call begins");
        assert_eq!(next("a", ""), None);
        assert_eq!(next("a", "{\"x\""), Some(one("a", "{\"x\"")));
        assert_eq!(next("b", "{"), Some(one("b", "{")));
        assert_eq!(next("a", "{\"x\": 1}"), Some(one("a", ": 1}")));
        assert_eq!(next("", "{"), None, "it has no id");
        assert_eq!(piece(&mut pieces, "c", "", json!("{")), None, "it has no name yet");
        let rests = pieces.rests(&[ToolCall::new("a", "f", "{\"x\": 1}"), ToolCall::new("b", "f", "{}")]);
        assert_eq!(rests, [ToolCallDelta::new("b", "f", "}")]);
    }

    #[test]
    fn o3_missing_arguments_are_an_empty_object_in_pieces_too() {
        for text in ["", " ", "null"] {
            let mut pieces = CallPieces::default();
            assert_eq!(piece(&mut pieces, "a", "f", json!(text)), Some(one("a", "")));
            let rests = pieces.rests(&[ToolCall::new("a", "f", "{}")]);
            assert_eq!(rests, [ToolCallDelta::new("a", "f", "{}")]);
        }
    }

    #[test]
    fn o3_whole_calls_are_one_piece_each() {
        let mut pieces = CallPieces::default();
        let mut next = |id, value| piece(&mut pieces, id, "f", value);
        assert_eq!(next("", json!({ "x": 1 })), Some(one("_1", r#"{"x":1}"#)));
        assert_eq!(next("same", json!(null)), Some(one("same", "{}")));
        assert_eq!(next("same", json!({})), Some(one("same_3", "{}")));
    }
}
