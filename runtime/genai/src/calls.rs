//! The calls of an answer, put together from their pieces: each piece in constant time, however many calls there are.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use onionskin_core::model::{ModelError, ToolCall, ToolCallDelta};

use crate::bounds;

/// The calls so far, in the order in which they began.
#[derive(Default)]
pub(crate) struct Calls {
    begun: Vec<Begun>,
    by_key: HashMap<String, usize>,
    /// The ids that were passed on.
    ids: HashSet<Arc<str>>,
}

/// A call of which a piece has come.
#[derive(Default)]
struct Begun {
    /// The provider's id.
    id: String,
    name: String,
    arguments: String,
    shape: Shape,
    /// True if the protocol says where a call ends, and has not said it.
    open: bool,
    /// Arguments that came with the beginning. They count if no pieces follow.
    offered: Option<String>,
    signature: Option<Value>,
    passed: Option<Passed>,
}

/// What was passed on of a call.
struct Passed {
    id: Arc<str>,
    name: Arc<str>,
    length: usize,
}

/// A piece of a call in a protocol whose pieces are marked by an index, an id, a name, or not at all.
#[derive(Default)]
pub(crate) struct Piece<'a> {
    /// The provider's number of the call, as text.
    pub(crate) key: Option<String>,
    /// The place of the piece in its event, if the event has several.
    pub(crate) place: Option<usize>,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.begun.is_empty()
    }

    /// The call that a key of the provider names.
    pub(crate) fn at(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// Begins a call.
    ///
    /// # Errors
    /// Returns an error if the answer has too many.
    pub(crate) fn begin(&mut self, key: Option<String>, open: bool) -> Result<usize, ModelError> {
        let at = self.begun.len();
        if at == bounds::CALLS {
            return Err(ModelError::Malformed(format!("it has more than {} tool calls", bounds::CALLS)));
        }
        self.begun.push(Begun { open, ..Begun::default() });
        if let Some(key) = key {
            self.by_key.insert(key, at);
        }
        Ok(at)
    }

    /// The call that a piece belongs to. Some servers give no index, the same index to all calls, one id to two calls, or a new id to each
    /// piece. A piece that names a tool begins a call, unless it goes on with an unfinished one.
    pub(crate) fn call_of(&mut self, piece: &Piece<'_>) -> Result<usize, ModelError> {
        let by_id = |calls: &Self| (!piece.id.is_empty()).then(|| calls.at(&id_key(piece.id))).flatten();
        let known = match &piece.key {
            Some(key) => self.at(&number_key(key)),
            None if !piece.id.is_empty() => by_id(self),
            None if piece.name.is_empty() => match piece.place {
                Some(place) if place < self.begun.len() => Some(place),
                _ => self.begun.len().checked_sub(1),
            },
            // Of several in one event, each is a call.
            None if piece.place.is_some_and(|place| place > 0) => None,
            None => self.begun.len().checked_sub(1),
        };
        let known = known.filter(|at| !self.begun[*at].ends_before(piece));
        let at = match known {
            Some(at) => at,
            None => self.begin(None, false)?,
        };
        if let Some(key) = &piece.key {
            self.by_key.insert(number_key(key), at);
        }
        if !piece.id.is_empty() {
            self.by_key.insert(id_key(piece.id), at);
        }
        Ok(at)
    }

    /// Adds what a piece says of a call. Returns what can be passed on.
    pub(crate) fn add(&mut self, at: usize, id: &str, name: &str, arguments: &str) -> Option<ToolCallDelta> {
        let call = &mut self.begun[at];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // Some servers repeat the name with each piece, and some cut it up.
        if call.passed.is_none() && call.name != name {
            call.name.push_str(name);
        }
        call.arguments.push_str(arguments);
        call.shape.read(arguments);
        self.pass(at)
    }

    /// Sets the whole text of the arguments. A text of which pieces were passed on is replaced only by one that begins so.
    pub(crate) fn set_arguments(&mut self, at: usize, text: &str) {
        let call = &mut self.begun[at];
        let passed = call.passed.as_ref().map_or(0, |passed| passed.length);
        if text.as_bytes().starts_with(&call.arguments.as_bytes()[..passed]) {
            text.clone_into(&mut call.arguments);
        }
    }

    pub(crate) fn has_arguments(&self, at: usize) -> bool {
        !self.begun[at].arguments.is_empty()
    }

    pub(crate) fn is_named(&self, at: usize) -> bool {
        !self.begun[at].name.is_empty()
    }

    /// Whether the call has this name, and these arguments as far as they have come.
    pub(crate) fn is_so(&self, at: usize, name: &str, arguments: &str) -> bool {
        let call = &self.begun[at];
        call.name == name && (call.arguments.is_empty() || call.arguments == arguments)
    }

    pub(crate) fn offer(&mut self, at: usize, arguments: String) {
        self.begun[at].offered = Some(arguments);
    }

    pub(crate) fn close(&mut self, at: usize) {
        self.begun[at].open = false;
    }

    pub(crate) fn sign(&mut self, at: usize, signature: Value) {
        self.begun[at].signature = Some(signature);
    }

    /// The next piece of a call that has a name and an id of its own. The others are passed on at the end.
    fn pass(&mut self, at: usize) -> Option<ToolCallDelta> {
        let call = &mut self.begun[at];
        if call.name.is_empty() || call.id.is_empty() {
            return None;
        }
        let begins = call.passed.is_none();
        if begins {
            let id = unused(&call.id, at, &self.ids);
            self.ids.insert(Arc::clone(&id));
            call.passed = Some(Passed { id, name: call.name.as_str().into(), length: 0 });
        }
        let text = if call.shape.is_decided() { call.arguments.as_str() } else { "" };
        let piece = call.passed.as_mut().map(|passed| passed.next(text))?;
        (begins || !piece.arguments.is_empty()).then_some(piece)
    }

    /// The calls, the signature of each, and what was not passed on. `cut` says that the answer reached a limit of length.
    ///
    /// # Errors
    /// Returns an error if a call has no name, or broke off before its arguments.
    pub(crate) fn finish(mut self, cut: bool) -> Result<Finished, ModelError> {
        let mut finished = Finished::default();
        let last = self.begun.len().saturating_sub(1);
        for (at, call) in std::mem::take(&mut self.begun).into_iter().enumerate() {
            if call.name.is_empty() {
                return Err(ModelError::Incomplete(format!("its tool call {} has no name", at + 1)));
            }
            let Begun { id, name, mut arguments, open, offered, signature, passed, .. } = call;
            if let Some(offered) = offered.filter(|_| arguments.is_empty()) {
                arguments = offered;
            }
            if matches!(arguments.trim(), "" | "null") {
                let broke_off = open || (cut && at == last);
                if broke_off && !cut {
                    return Err(ModelError::Incomplete(format!(
                        "its call of `{name}` broke off before the arguments"
                    )));
                }
                // Models leave the arguments of tools without parameters empty. What broke off must not run with defaults.
                (if broke_off { "{" } else { "{}" }).clone_into(&mut arguments);
            }
            let mut passed = passed.unwrap_or_else(|| {
                let id = unused(&id, at, &self.ids);
                self.ids.insert(Arc::clone(&id));
                Passed { id, name: name.into(), length: 0 }
            });
            let piece = passed.next(&arguments);
            if !piece.arguments.is_empty() {
                finished.rests.push(piece);
            }
            finished.signatures.push(signature);
            finished.calls.push(ToolCall::new(passed.id, passed.name, arguments));
        }
        Ok(finished)
    }
}

/// What the calls of an answer are in the end.
#[derive(Default)]
pub(crate) struct Finished {
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) signatures: Vec<Option<Value>>,
    pub(crate) rests: Vec<ToolCallDelta>,
}

impl Begun {
    /// Whether a piece with the mark of this call belongs to another one.
    fn ends_before(&self, piece: &Piece<'_>) -> bool {
        if piece.name.is_empty() {
            return false;
        }
        let other_id = !piece.id.is_empty() && !self.id.is_empty() && self.id != piece.id;
        let other_name = !self.name.is_empty() && self.name != piece.name && !self.arguments.is_empty();
        let again = self.shape.is_complete() && !piece.arguments.is_empty();
        other_id || other_name || again
    }
}

impl Passed {
    /// The part of the text that was not passed on.
    fn next(&mut self, text: &str) -> ToolCallDelta {
        let arguments = text.get(self.length..).unwrap_or_default();
        self.length += arguments.len();
        ToolCallDelta::new(Arc::clone(&self.id), Arc::clone(&self.name), arguments)
    }
}

fn number_key(key: &str) -> String {
    format!("number {key}")
}

fn id_key(id: &str) -> String {
    format!("id {id}")
}

/// The id, or one with the call's number if it is empty or another call has it: only the id distinguishes results.
fn unused(id: &str, at: usize, ids: &HashSet<Arc<str>>) -> Arc<str> {
    if !id.is_empty() && !ids.contains(id) {
        return id.into();
    }
    let mut numbered = format!("{id}_{}", at + 1);
    while ids.contains(&*numbered) {
        numbered.push('_');
    }
    numbered.into()
}

/// The shape of a JSON text that comes in pieces.
#[derive(Default)]
struct Shape {
    first: Option<u8>,
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Shape {
    fn read(&mut self, piece: &str) {
        for byte in piece.bytes() {
            if self.first.is_none() && !byte.is_ascii_whitespace() {
                self.first = Some(byte);
            }
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                b'{' | b'[' if !self.in_text => self.depth += 1,
                b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether an object has come that is closed.
    fn is_complete(&self) -> bool {
        self.first == Some(b'{') && self.depth == 0
    }

    /// Whether the text will stay as it is: an empty one and `null` become an empty object.
    fn is_decided(&self) -> bool {
        self.first.is_some_and(|first| first != b'n')
    }
}
