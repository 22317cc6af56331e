//! What the parts of a call record: its stages, the ends of its hooks, a child's conversation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::ToolContext;
use crate::event::HookExit;
use crate::session::Transcript;

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

impl Key {
    /// The bytes of its texts.
    pub(crate) fn bytes(&self) -> usize {
        let ids = [&self.user, &self.session].into_iter().flatten().map(|id| id.len());
        self.args.len() + self.filled.len() + ids.sum::<usize>()
    }
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

impl ToolContext {
    /// Starts collecting how the tool's own hooks leave this call.
    pub(crate) fn log_hooks(&self) {
        self.data(|data| _ = data.hooks.get_or_insert_default());
    }

    pub(crate) fn log_hook(&self, exit: impl FnOnce() -> HookExit) {
        if self.run.events().are_read() {
            self.log_hooks();
        }
        if self.data_if_any(|data| data.hooks.is_some()).unwrap_or(false) {
            let exit = exit();
            self.data(|data| data.hooks.get_or_insert_default().push(exit));
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Stores a child's conversation, which the loop merges at the end of the batch.
    pub fn keep_transcript(&self, transcript: Transcript) {
        self.data(|data| data.transcript = Some(transcript));
    }

    pub fn take_transcript(&self) -> Option<Transcript> {
        self.data_if_any(|data| data.transcript.take())?
    }

    /// Accesses the call's record of its stages.
    pub fn stages<T>(&self, with: impl FnOnce(&mut CallStages) -> T) -> T {
        self.data(|data| with(&mut data.stages))
    }

    pub fn take_hook_log(&mut self) -> Vec<HookExit> {
        self.data_if_any(|data| data.hooks.take()).flatten().unwrap_or_default()
    }
}
