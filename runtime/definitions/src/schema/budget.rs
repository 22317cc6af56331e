//! The work limit of a walk over a schema, so that a server's schema cannot block its host.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// The steps of any walk, whatever the size of its value.
const BASE: u64 = 500_000;

/// The further steps for each part of the value.
const PER_PART: u64 = 16;

/// The maximum number of schemas in place that lead to each other by references, `anyOf` and `allOf`.
pub(super) const LINKS: usize = 64;

/// Stops walks on other threads.
pub(super) type Stop = Arc<AtomicBool>;

/// The remaining steps of a walk. A step is a comparison or a look-up, about 50 ns.
pub(super) struct Budget {
    left: Cell<u64>,
    /// Set for a walk that can be stopped.
    stop: Option<Stop>,
}

impl Budget {
    /// The budget grows with the value, so that a walk is linear in it.
    pub(super) fn for_value(value: &Value) -> Self {
        let left = weight(value).saturating_mul(PER_PART).saturating_add(BASE);
        Self { left: Cell::new(left), stop: None }
    }

    /// The same budget, which another thread can stop.
    pub(super) fn until(self, stop: Stop) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Takes steps. Returns false if too few are left, and from then on always.
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
            1 + fields.iter().map(|(name, field)| text_steps(name) + weight(field)).sum::<u64>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// The steps of a look at a whole text.
pub(super) fn text_steps(text: &str) -> u64 {
    text.len() as u64 / 64
}

/// The chain of schemas that apply to one value at the same time, each of which led to the next.
#[derive(Clone, Copy)]
pub(super) struct Chain<'c> {
    schema: &'c Value,
    before: Option<&'c Chain<'c>>,
    length: usize,
}

impl<'c> Chain<'c> {
    /// Adds a schema to the chain; `None` if it is in the chain already, or the chain is too long.
    pub(super) fn new(before: Option<&'c Self>, schema: &'c Value) -> Option<Self> {
        let mut links = std::iter::successors(before, |chain| chain.before);
        let length = before.map_or(0, |chain| chain.length + 1);
        let again = links.any(|link| std::ptr::eq(link.schema, schema));
        (!again && length <= LINKS).then_some(Self { schema, before, length })
    }
}
