//! The calls of an answer, put together from their pieces: each piece in constant time, however many calls there are.

mod pieces;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use onionskin_core::model::{ModelError, ToolCall, ToolCallDelta};

use self::pieces::Marks;
pub(crate) use self::pieces::{OLD_FORM, Piece};
use crate::bounds;
use crate::shape::{Shape, compact, without_repetition};

/// The calls so far, in the order in which they began.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) begun: Vec<Begun>,
    pub(crate) by_key: HashMap<String, usize>,
    /// The ids that were passed on.
    ids: HashSet<Arc<str>>,
    /// The names of the request's tools.
    pub(crate) tools: Vec<Arc<str>>,
    /// The events with pieces of calls so far.
    pub(crate) events: usize,
}

/// A call of which a piece has come.
#[derive(Default)]
pub(crate) struct Begun {
    /// The provider's id.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) shape: Shape,
    /// The marks of its first piece, in a protocol that does not say which call a piece belongs to.
    pub(crate) marks: Option<Marks>,
    /// True if the protocol says where a call ends, and has not said it.
    open: bool,
    /// Arguments that came with the beginning. They count if no pieces follow.
    offered: Option<String>,
    signature: Option<Value>,
    passed: Option<Passed>,
}

impl Begun {
    /// Whether it has nothing of a call. Some servers end a list of calls with such an entry.
    fn is_nothing(&self) -> bool {
        let is_unmarked = self.id.is_empty() && self.name.is_empty() && !self.open && self.offered.is_none();
        is_unmarked && compact(&self.arguments) == "{}"
    }
}

/// What was passed on of a call.
struct Passed {
    id: Arc<str>,
    name: Arc<str>,
    length: usize,
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
            call.shape = Shape::new(text);
        }
    }

    pub(crate) fn has_arguments(&self, at: usize) -> bool {
        !self.begun[at].arguments.is_empty()
    }

    pub(crate) fn is_named(&self, at: usize) -> bool {
        !self.begun[at].name.is_empty()
    }

    /// Whether the call has this name, and its arguments so far are a prefix of these.
    pub(crate) fn is_so(&self, at: usize, name: &str, arguments: &str) -> bool {
        let call = &self.begun[at];
        call.name == name && (call.arguments.is_empty() || call.arguments == arguments)
    }

    /// Whether this can be the whole text of the arguments whose pieces have come: it has their values, or goes on with them.
    pub(crate) fn allows(&self, at: usize, whole: &str) -> bool {
        let known = &self.begun[at].arguments;
        let value = |text: &str| serde_json::from_str::<Value>(text).ok();
        whole.is_empty()
            || whole.starts_with(known.as_str())
            || value(known).is_some_and(|known| Some(known) == value(whole))
    }

    pub(crate) fn offer(&mut self, at: usize, arguments: String) {
        self.begun[at].offered = Some(arguments);
    }

    /// Ends the call that a key of the provider names, if it has begun.
    pub(crate) fn close_at(&mut self, key: &str) {
        if let Some(at) = self.at(key) {
            self.close(at);
        }
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
        let begins = call.passed.is_none();
        if begins {
            // More of a name can come until the arguments do, and what has the id of another call can be a copy of it.
            let can_grow = !call.shape.has_begun() && pieces::can_grow(&call.name, &self.tools);
            let is_open = call.marks.is_some() && (can_grow || self.ids.contains(&*call.id));
            if call.name.is_empty() || call.id.is_empty() || is_open {
                return None;
            }
            let id = unused(&call.id, at, &self.ids);
            self.ids.insert(Arc::clone(&id));
            call.passed = Some(Passed { id, name: call.name.as_str().into(), length: 0 });
        }
        let text = call.arguments.get(..call.shape.stable_len()).unwrap_or_default();
        let piece = call.passed.as_mut().map(|passed| passed.next(text))?;
        (begins || !piece.arguments.is_empty()).then_some(piece)
    }

    /// The calls, the signature of each, and what was not passed on. `cut` says that the answer reached a limit of length.
    ///
    /// # Errors
    /// Returns an error if a call has no name, ended before its arguments, or cannot be distinguished from another call.
    pub(crate) fn finish(mut self, cut: bool) -> Result<Finished, ModelError> {
        let mut finished = Finished::default();
        let mut begun = std::mem::take(&mut self.begun);
        begun.retain(|call| !call.is_nothing());
        if let Some(last) = begun.last_mut() {
            last.open |= cut;
        }
        for call in &mut begun {
            if let Some(offered) = call.offered.take().filter(|_| call.arguments.is_empty()) {
                call.arguments = offered;
            }
            let once = without_repetition(&call.arguments);
            if once.len() < call.arguments.len() {
                call.arguments = once.to_owned();
            }
        }
        for (at, call) in pieces::distinct(begun)?.into_iter().enumerate() {
            if call.name.is_empty() {
                return Err(ModelError::Incomplete(format!("its tool call {} has no name", at + 1)));
            }
            let Begun { id, name, mut arguments, open, signature, passed, .. } = call;
            if matches!(arguments.trim(), "" | "null") {
                if open && !cut {
                    return Err(ModelError::Incomplete(format!(
                        "its call of `{name}` broke off before the arguments"
                    )));
                }
                // Models leave the arguments of tools without parameters empty. What broke off must not run with defaults.
                (if open { "{" } else { "{}" }).clone_into(&mut arguments);
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

impl Passed {
    /// The part of the text that was not passed on.
    fn next(&mut self, text: &str) -> ToolCallDelta {
        let arguments = text.get(self.length..).unwrap_or_default();
        self.length += arguments.len();
        ToolCallDelta::new(Arc::clone(&self.id), Arc::clone(&self.name), arguments)
    }
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
