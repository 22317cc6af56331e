//! Which call a piece belongs to in Chat Completions, whose servers leave out marks, repeat them, and write calls twice.
//!
//! 1. The index of a piece names its call; without an index the id does; without both, the place among the pieces of the event, and else
//!    the call before.
//! 2. A piece with a name begins another call if its id is another one, if the call already has arguments and another name, or if the call
//!    has a complete object and the piece has arguments of its own, or neither has an id. Of two names before any arguments, the tools of
//!    the request say whether they are one.
//! 3. In the end, a call in the old form counts only if there is no other, and calls of different events with the same index, or none, and the same name are compared. With one id, an equal text is a
//!    copy, and an empty object is what the server wrote before the arguments. Without ids, nobody can say so.
//!
//! Calls that cannot be distinguished are [`ModelError::Incomplete`]: a call that runs twice, or another tool than the model named, does more harm.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use onionskin_core::model::ModelError;

use super::{Begun, Calls};
use crate::shape::compact;

/// A piece of a call in a protocol whose pieces are marked by an index, an id, a name, or not at all.
#[derive(Default)]
pub(crate) struct Piece<'a> {
    /// The provider's number of the call, as text.
    pub(crate) key: Option<String>,
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: &'a str,
    pub(crate) arguments: String,
}

/// The marks of a call that its text does not have.
#[derive(Default)]
pub(crate) struct Marks {
    key: Option<String>,
    /// The number of the event in which it began.
    event: usize,
}

/// Where a piece belongs, seen from the call that its marks name.
enum Place {
    Here,
    Another,
    Unclear,
}

impl Calls {
    /// The call that a piece belongs to. `place` is the one among the pieces of its event, if there are several.
    ///
    /// # Errors
    /// Returns an error if the answer has too many calls, or the name of a piece can be both a part and a name of its own.
    pub(crate) fn call_of(&mut self, piece: &Piece<'_>, place: Option<usize>) -> Result<usize, ModelError> {
        let last = self.begun.len().checked_sub(1);
        let known = match &piece.key {
            Some(key) => self.at(&number_key(key)),
            None if !piece.id.is_empty() => self.at(&id_key(&piece.id)),
            None if piece.name.is_empty() => place.filter(|place| *place < self.begun.len()).or(last),
            // Of several in one event, each is a call.
            None => last.filter(|_| place.is_none_or(|place| place == 0)),
        };
        let known = match known.map(|at| (at, self.begun[at].place_of(piece, &self.tools))) {
            Some((at, Place::Here)) => Some(at),
            Some((_, Place::Another)) | None => None,
            Some((at, Place::Unclear)) => {
                return Err(ModelError::Incomplete(format!(
                    "the names `{}` and `{}` of its tool calls can be one name or two: the server gives the calls no index and no id of their own",
                    self.begun[at].name, piece.name
                )));
            }
        };
        let at = match known {
            Some(at) => at,
            None => {
                let at = self.begin(None, false)?;
                self.begun[at].marks = Some(Marks { key: piece.key.clone(), event: self.events });
                at
            }
        };
        if let Some(key) = &piece.key {
            self.by_key.insert(number_key(key), at);
        }
        if !piece.id.is_empty() {
            self.by_key.insert(id_key(&piece.id), at);
        }
        Ok(at)
    }
}

impl Begun {
    fn place_of(&self, piece: &Piece<'_>, tools: &[Arc<str>]) -> Place {
        let (no_id, no_text) = (piece.id.is_empty(), piece.arguments.trim().is_empty());
        if piece.name.is_empty() {
            return Place::Here;
        }
        if !no_id && !self.id.is_empty() && self.id != piece.id {
            return Place::Another;
        }
        let same_name = self.name == piece.name;
        match (self.shape.has_begun(), self.name.is_empty() || same_name) {
            (false, true) => Place::Here,
            (false, false) => place_of_name(&self.name, piece.name, tools),
            (true, false) => Place::Another,
            (true, true) => {
                let again = match (self.name.is_empty(), self.id.is_empty()) {
                    (true, _) => !no_text,
                    (false, true) => true,
                    (false, false) => !no_id && !no_text,
                };
                if self.shape.is_complete() && again { Place::Another } else { Place::Here }
            }
        }
    }
}

/// Whether a second name goes on with a first one that has no arguments.
fn place_of_name(first: &str, second: &str, tools: &[Arc<str>]) -> Place {
    let is_tool = |name: &str| tools.iter().any(|tool| **tool == *name);
    let joined =
        tools.iter().any(|tool| tool.strip_prefix(first).is_some_and(|rest| rest.starts_with(second)));
    match (is_tool(first), is_tool(second), joined) {
        (true, true, false) => Place::Another,
        (true, true, true) | (true, false, false) => Place::Unclear,
        // A name that is no tool's runs nothing, and the model reads so.
        (true, false, true) | (false, _, _) => Place::Here,
    }
}

/// Whether a name can be the beginning of another one.
pub(crate) fn can_grow(name: &str, tools: &[Arc<str>]) -> bool {
    !tools.iter().any(|tool| **tool == *name)
        || tools.iter().any(|tool| tool.len() > name.len() && tool.starts_with(name))
}

/// A call that is compared with later ones of its index and name.
struct Known {
    /// Its place among the calls that are kept.
    at: usize,
    id: String,
    event: usize,
    text: String,
}

/// The key of a call in the old form, `function_call`. Some servers write each call in both forms, for old clients.
pub(crate) const OLD_FORM: &str = "function_call";

/// The calls without those that a server wrote twice.
///
/// # Errors
/// Returns an error if nobody can say whether two calls are one.
pub(crate) fn distinct(calls: Vec<Begun>) -> Result<Vec<Begun>, ModelError> {
    let mut retained: Vec<Begun> = Vec::with_capacity(calls.len());
    let mut known: HashMap<(Option<String>, String), Vec<Known>> = HashMap::new();
    let is_old =
        |call: &Begun| call.marks.as_ref().is_some_and(|marks| marks.key.as_deref() == Some(OLD_FORM));
    let all_old = calls.iter().all(is_old);
    'calls: for mut call in calls.into_iter().filter(|call| all_old || !is_old(call)) {
        let Some(Marks { key, event }) = call.marks.take() else {
            retained.push(call);
            continue;
        };
        let text = compact(&call.arguments);
        let alike = known.entry((key, call.name.clone())).or_default();
        for other in &mut *alike {
            let (is_equal, one_event) = (other.text == text, other.event == event);
            let one_id = !other.id.is_empty() && other.id == call.id;
            let is_other_id = !other.id.is_empty() && !call.id.is_empty() && !one_id;
            if one_id && is_equal {
                continue 'calls;
            }
            if is_other_id || one_event || (!is_equal && other.text != "{}" && text != "{}") {
                continue;
            }
            if one_id && other.text == "{}" {
                retained[other.at].arguments = call.arguments;
                other.text = text;
                continue 'calls;
            }
            return Err(ModelError::Incomplete(format!(
                "two calls of `{}` can be one: the server gives them no index and no id of their own",
                call.name
            )));
        }
        alike.push(Known { at: retained.len(), id: call.id.clone(), event, text });
        retained.push(call);
    }
    Ok(retained)
}

fn number_key(key: &str) -> String {
    format!("number {key}")
}

fn id_key(id: &str) -> String {
    format!("id {id}")
}

#[cfg(test)]
mod tests;
