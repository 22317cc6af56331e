//! How much work a walk over a schema may do: a server's schema must not keep its host busy.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// What any walk may do, whatever the size of its value.
const BASE: u64 = 500_000;

/// What a walk may do beyond it, for each part of its value.
const PER_PART: u64 = 16;

/// In place, a schema leads on to others at most so often: by references, `anyOf`, `allOf`.
pub(super) const LINKS: usize = 64;

/// Ends walks on other threads.
pub(super) type Stop = Arc<AtomicBool>;

/// The steps that a walk may still take. A step is a comparison or a look-up, some 50 ns.
pub(super) struct Budget {
    left: Cell<u64>,
    /// Of a walk that somebody may give up.
    stop: Option<Stop>,
}

impl Budget {
    /// Grows with the value, so that a walk is linear in it.
    pub(super) fn for_value(value: &Value) -> Self {
        let left = weight(value).saturating_mul(PER_PART).saturating_add(BASE);
        Self { left: Cell::new(left), stop: None }
    }

    /// The same, until somebody ends it.
    pub(super) fn until(self, stop: Stop) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Takes so many steps; false if there are not that many left, and from then on always.
    pub(super) fn take(&self, steps: u64) -> bool {
        let is_stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let left = if is_stopped { 0 } else { self.left.get().saturating_sub(steps) };
        self.left.set(left);
        left > 0
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Ends the walk.
    pub(super) fn spend(&self) {
        self.left.set(0);
    }
}

/// The parts of a value; a long text counts for several.
pub(super) fn weight(value: &Value) -> u64 {
    match value {
        Value::String(text) => 1 + text.len() as u64 / 16,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(fields) => {
            1 + fields.iter().map(|(name, field)| of_text(name) + weight(field)).sum::<u64>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// How many steps it is to look at a whole text.
pub(super) fn of_text(text: &str) -> u64 {
    text.len() as u64 / 64
}

/// The schemas that one value is held against at the same time, each of which led to the next.
#[derive(Clone, Copy)]
pub(super) struct Chain<'c> {
    schema: &'c Value,
    before: Option<&'c Chain<'c>>,
    length: usize,
}

impl<'c> Chain<'c> {
    /// The first schema, or the next one; none if it stands in the chain already, or the chain is too long.
    pub(super) fn new(before: Option<&'c Self>, schema: &'c Value) -> Option<Self> {
        let mut links = std::iter::successors(before, |chain| chain.before);
        let length = before.map_or(0, |chain| chain.length + 1);
        let again = links.any(|link| std::ptr::eq(link.schema, schema));
        (!again && length <= LINKS).then_some(Self { schema, before, length })
    }
}
