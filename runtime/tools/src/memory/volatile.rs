//! A store in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::SystemTime;

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use super::{Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore};
use onionskin_definitions::lock::lock;

/// Stores memories until the program ends, for tests and for programs that need no more. Memory use grows with each
/// memory.
///
/// ```
/// use onionskin::memory::{MemoryQuery, MemoryScope, MemoryStore, VolatileMemories};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = VolatileMemories::default();
/// let scope = MemoryScope::user("ada", "memory");
/// store.add(&scope, "She likes tea.").await.unwrap();
/// store.add(&scope, "She lives in London.").await.unwrap();
/// let hits = store.find(&MemoryQuery::find(scope.clone(), "Tea?")).await.unwrap();
/// assert_eq!(hits[0].text, "She likes tea.");
/// assert!(store.forget(&scope, &hits[0].id).await.unwrap());
/// assert_eq!(store.find(&MemoryQuery::list(scope)).await.unwrap().len(), 1);
/// # });
/// ```
#[derive(Debug, Default)]
pub struct VolatileMemories {
    memories: Mutex<Memories>,
}

#[derive(Debug, Default)]
struct Memories {
    /// Each scope's memories in the order of their addition.
    scopes: BTreeMap<MemoryScope, Vec<Memory>>,
    /// The number of all memories that were added.
    added: u64,
}

impl Memories {
    fn add(&mut self, scope: &MemoryScope, text: &str) -> Memory {
        let memories = self.scopes.entry(scope.clone()).or_default();
        if let Some(memory) = memories.iter().find(|memory| memory.text == text) {
            return memory.clone();
        }
        self.added += 1;
        let id = self.added.to_string();
        let memory = Memory::new(id, scope.clone(), text, SystemTime::now());
        memories.push(memory.clone());
        memory
    }

    fn find(&self, query: &MemoryQuery) -> Result<Vec<Memory>, MemoryError> {
        let newest_first = self.scopes.get(&query.scope).into_iter().flatten().rev();
        Ok(query.page(newest_first)?.into_iter().cloned().collect())
    }

    fn forget(&mut self, scope: &MemoryScope, id: &str) -> bool {
        let Some(memories) = self.scopes.get_mut(scope) else { return false };
        let before = memories.len();
        memories.retain(|memory| memory.id != id);
        memories.len() < before
    }

    fn forget_all(&mut self, owner: &MemoryOwner) -> usize {
        let removed = self.scopes.extract_if(.., |scope, _| scope.owner == *owner);
        removed.map(|(_, memories)| memories.len()).sum()
    }
}

impl MemoryStore for VolatileMemories {
    fn add<'a>(
        &'a self,
        scope: &'a MemoryScope,
        text: &'a str,
    ) -> BoxFuture<'a, Result<Memory, MemoryError>> {
        ready(Ok(lock(&self.memories).add(scope, text))).boxed()
    }

    fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        ready(lock(&self.memories).find(query)).boxed()
    }

    fn forget<'a>(&'a self, scope: &'a MemoryScope, id: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>> {
        ready(Ok(lock(&self.memories).forget(scope, id))).boxed()
    }

    fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
        ready(Ok(lock(&self.memories).forget_all(owner))).boxed()
    }
}
