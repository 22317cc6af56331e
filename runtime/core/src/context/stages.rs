//! What one call remembers of its stages, whoever runs them how often.

use std::sync::Arc;

use serde_json::Value;

/// What one call remembers of its stages.
#[derive(Default)]
pub(crate) struct CallStages {
    /// How often each cache was asked, and what was put into it.
    asked: Vec<Asked>,
    /// The arguments that were approved.
    approved: Vec<Arc<str>>,
    /// What was filled in when the call was looked up in a cache.
    filled: Option<Vec<(String, Value)>>,
    /// Whether the result is not to be kept.
    unkept: bool,
}

/// Whose call, with which arguments.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) user: Option<Arc<str>>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) args: String,
    /// What nobody outside gave.
    pub(crate) filled: String,
}

struct Asked {
    cache: usize,
    times: u32,
    stored: Option<Key>,
}

impl CallStages {
    /// Counts that a cache is asked. Gives the number of times, and what this call put into it.
    pub(crate) fn ask(&mut self, cache: usize) -> (u32, Option<Key>) {
        if let Some(asked) = self.asked.iter_mut().find(|asked| asked.cache == cache) {
            asked.times += 1;
            return (asked.times, asked.stored.take());
        }
        self.asked.push(Asked { cache, times: 1, stored: None });
        (1, None)
    }

    /// Notes what is put into a cache or was found there; false if it was asked again since, or nothing is to be kept.
    pub(crate) fn store(&mut self, cache: usize, key: &Key) -> bool {
        let asked =
            self.asked.iter_mut().find(|asked| asked.cache == cache && asked.times == 1 && !self.unkept);
        let Some(asked) = asked else { return false };
        asked.stored = Some(key.clone());
        true
    }

    /// Notes that the result is not the tool's own for these arguments.
    pub(crate) fn keep_nothing(&mut self) {
        self.unkept = true;
    }

    /// Notes what is filled in for a cache's key.
    pub(crate) fn fill(&mut self, values: Vec<(String, Value)>) {
        self.filled = Some(values);
    }

    /// Notes what the tool runs with: if that is not what the key tells, nothing is kept.
    pub(crate) fn runs_with(&mut self, values: &[(String, Value)]) {
        self.unkept |= self.filled.as_deref().is_some_and(|filled| filled != values);
    }

    pub(crate) fn is_approved(&self, args: &str) -> bool {
        self.approved.iter().any(|approved| **approved == *args)
    }

    pub(crate) fn approve(&mut self, args: Arc<str>) {
        self.approved.push(args);
    }
}
