//! What the stages of a call record, for all its attempts.

use std::sync::Arc;

use serde_json::{Map, Value};

/// What the stages of a call record, for all its attempts.
#[derive(Default)]
pub struct CallStages {
    /// The number of lookups in each cache, and the stored key.
    lookups: Vec<CacheLookups>,
    /// The approved arguments.
    approved: Vec<(Arc<str>, Approved)>,
    /// The filled-in values at the cache lookup.
    filled: Option<Vec<(String, Value)>>,
    /// Whether the result must not be cached.
    unkept: bool,
}

/// The content of an approval.
#[derive(Clone, PartialEq)]
pub(crate) enum Approved {
    /// The arguments as shown.
    AsShown,
    /// Arguments that a person changed.
    With(Map<String, Value>),
}

/// The key of a cached result: the caller, the arguments and the services.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) user: Option<Arc<str>>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) args: String,
    /// The filled-in values.
    pub(crate) filled: String,
    /// The ids of the services that the tool takes.
    pub(crate) services: Vec<Option<u64>>,
}

struct CacheLookups {
    cache: usize,
    times: u32,
    stored: Option<Key>,
}

impl CallStages {
    /// Counts a lookup. Returns the number of lookups, and the key that this call stored.
    pub(crate) fn count_lookup(&mut self, cache: usize) -> (u32, Option<Key>) {
        if let Some(lookups) = self.lookups.iter_mut().find(|lookups| lookups.cache == cache) {
            lookups.times += 1;
            return (lookups.times, lookups.stored.take());
        }
        self.lookups.push(CacheLookups { cache, times: 1, stored: None });
        (1, None)
    }

    /// Records a key that is stored or was found. Returns `false` if the cache was queried again since, or if
    /// the result must not be cached.
    pub(crate) fn store(&mut self, cache: usize, key: &Key) -> bool {
        let lookups = self
            .lookups
            .iter_mut()
            .find(|lookups| lookups.cache == cache && lookups.times == 1 && !self.unkept);
        let Some(lookups) = lookups else { return false };
        lookups.stored = Some(key.clone());
        true
    }

    /// Excludes the result from caches, because it is not the tool's own result for these arguments.
    pub fn exclude_from_caches(&mut self) {
        self.unkept = true;
    }

    /// Records the filled-in values of a cache's key.
    pub(crate) fn fill(&mut self, values: Vec<(String, Value)>) {
        self.filled = Some(values);
    }

    /// Records the values that the tool runs with. If they differ from those of the key, the result is not
    /// cached.
    pub(crate) fn runs_with(&mut self, values: &[(String, Value)]) {
        self.unkept |= self.filled.as_deref().is_some_and(|filled| filled != values);
    }

    /// The last approval of these arguments; `None` if they were not approved.
    pub(crate) fn approved(&self, args: &str) -> Option<Approved> {
        self.approved.iter().rev().find(|(approved, _)| **approved == *args).map(|(_, what)| what.clone())
    }

    pub(crate) fn approve(&mut self, args: Arc<str>, what: Approved) {
        self.approved.push((args, what));
    }
}
