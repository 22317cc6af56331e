//! Results in memory, for [`Cache`](super::Cache) and the hook `cache_results`.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use onionskin_definitions::output::ToolOutput;

/// The largest number of bytes of the keys and the results of a cache.
const MAX_BYTES: usize = 64 << 20;

/// Results by key. A full cache drops the oldest ones, and does not store a result that has more than all bytes.
pub struct CachedResults<K, T = ()> {
    /// The largest number of results.
    pub capacity: usize,
    /// The maximum age of a result.
    pub ttl: Option<Duration>,
    results: HashMap<Arc<K>, CachedResult<T>>,
    /// The same results by age, the oldest first.
    ages: BTreeMap<u64, Arc<K>>,
    next: u64,
    bytes: usize,
}

struct CachedResult<T> {
    output: ToolOutput,
    condition: T,
    bytes: usize,
    at: Instant,
    age: u64,
}

impl<K: Eq + Hash, T> CachedResults<K, T> {
    /// Creates an empty cache.
    pub fn new(capacity: usize, ttl: Option<Duration>) -> Self {
        Self { capacity, ttl, results: HashMap::new(), ages: BTreeMap::new(), next: 0, bytes: 0 }
    }

    /// The result of a key, and its condition. Results that are too old leave.
    pub fn get(&mut self, key: &K) -> Option<(&ToolOutput, &T)> {
        while self.oldest().is_some_and(|oldest| self.is_too_old(oldest)) {
            self.remove_oldest();
        }
        self.results.get(key).map(|cached| (&cached.output, &cached.condition))
    }

    /// Inserts a result as the newest one, with the bytes of its key and its condition.
    pub fn insert(&mut self, key: K, key_bytes: usize, output: ToolOutput, condition: T) {
        self.remove(&key);
        let bytes = key_bytes.saturating_add(output.bytes());
        if bytes > MAX_BYTES {
            return;
        }
        while self.oldest().is_some_and(|oldest| {
            self.results.len() >= self.capacity || self.bytes + bytes > MAX_BYTES || self.is_too_old(oldest)
        }) {
            self.remove_oldest();
        }
        let (key, age) = (Arc::new(key), self.next);
        self.next += 1;
        self.bytes += bytes;
        self.ages.insert(age, Arc::clone(&key));
        self.results.insert(key, CachedResult { output, condition, bytes, at: Instant::now(), age });
    }

    /// Removes the result of a key.
    pub fn remove(&mut self, key: &K) {
        if let Some(cached) = self.results.remove(key) {
            self.bytes -= cached.bytes;
            self.ages.remove(&cached.age);
        }
    }

    /// The number of results.
    pub fn count(&self) -> usize {
        self.results.len()
    }

    fn oldest(&self) -> Option<&CachedResult<T>> {
        self.ages.first_key_value().and_then(|(_, key)| self.results.get(key))
    }

    fn remove_oldest(&mut self) {
        if let Some((_, key)) = self.ages.pop_first() {
            self.remove(&key);
        }
    }

    fn is_too_old(&self, cached: &CachedResult<T>) -> bool {
        self.ttl.is_some_and(|ttl| cached.at.elapsed() >= ttl)
    }
}
