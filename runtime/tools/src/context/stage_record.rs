//! The record of one call's stages, for all of its runs.

use std::sync::Arc;

use serde_json::{Map, Value};

/// The record of one call's stages.
#[derive(Default)]
pub struct CallStages {
    /// The number of look-ups in each cache, and the key that was stored.
    asked: Vec<Asked>,
    /// The arguments that were approved.
    approved: Vec<(Arc<str>, Approved)>,
    /// The filled-in values when the call was looked up in a cache.
    filled: Option<Vec<(String, Value)>>,
    /// Whether the result must not be cached.
    unkept: bool,
}

/// What an approval allowed.
#[derive(Clone, PartialEq)]
pub(crate) enum Approved {
    /// The arguments that were shown.
    AsShown,
    /// The arguments that a person set in their place.
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
    /// The numbers of the services that the tool takes.
    pub(crate) services: Vec<Option<u64>>,
}

struct Asked {
    cache: usize,
    times: u32,
    stored: Option<Key>,
}

impl CallStages {
    /// Counts a look-up. Returns the number of look-ups, and the key that this call stored.
    pub(crate) fn ask(&mut self, cache: usize) -> (u32, Option<Key>) {
        if let Some(asked) = self.asked.iter_mut().find(|asked| asked.cache == cache) {
            asked.times += 1;
            return (asked.times, asked.stored.take());
        }
        self.asked.push(Asked { cache, times: 1, stored: None });
        (1, None)
    }

    /// Records a key that is stored or was found. Returns false if the cache was asked again since, or the result must
    /// not be cached.
    pub(crate) fn store(&mut self, cache: usize, key: &Key) -> bool {
        let asked =
            self.asked.iter_mut().find(|asked| asked.cache == cache && asked.times == 1 && !self.unkept);
        let Some(asked) = asked else { return false };
        asked.stored = Some(key.clone());
        true
    }

    /// Records that the result is not the tool's own for these arguments.
    pub fn keep_nothing(&mut self) {
        self.unkept = true;
    }

    /// Records the filled-in values of a cache's key.
    pub(crate) fn fill(&mut self, values: Vec<(String, Value)>) {
        self.filled = Some(values);
    }

    /// Records the values that the tool runs with. If they differ from the key's, the result is not cached.
    pub(crate) fn runs_with(&mut self, values: &[(String, Value)]) {
        self.unkept |= self.filled.as_deref().is_some_and(|filled| filled != values);
    }

    /// What the last approval of these arguments allowed; `None` if they were not approved.
    pub(crate) fn approved(&self, args: &str) -> Option<Approved> {
        self.approved.iter().rev().find(|(approved, _)| **approved == *args).map(|(_, what)| what.clone())
    }

    pub(crate) fn approve(&mut self, args: Arc<str>, what: Approved) {
        self.approved.push((args, what));
    }
}
