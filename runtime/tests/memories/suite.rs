//! The suite for stores of memories: the store in memory passes it, and its cases report stores that are broken in one way.

use std::sync::Arc;

use onionskin::BoxFuture;
use onionskin::memory::{
    Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore, VolatileMemories,
};
use onionskin::testing::memory_suite;

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    AddsTwice,
    OldestFirst,
    NoSkip,
    NoLimit,
    AllWords,
    CaseCounts,
    WholeWords,
    CutsSearches,
    OneKind,
    OneOwner,
    ForgetsNothing,
    ForgetsAnyScope,
    LeavesOtherKinds,
    Fails,
    Trims,
    Panics,
}

struct Broken {
    store: VolatileMemories,
    flaw: Flaw,
}

impl Broken {
    fn scope(&self, scope: &MemoryScope) -> MemoryScope {
        let mut scope = scope.clone();
        match self.flaw {
            Flaw::OneKind => "memory".clone_into(&mut scope.kind),
            Flaw::OneOwner => scope.owner = MemoryOwner::Shared,
            _ => {}
        }
        scope
    }
}

impl MemoryStore for Broken {
    fn add<'a>(
        &'a self,
        scope: &'a MemoryScope,
        text: &'a str,
    ) -> BoxFuture<'a, Result<Memory, MemoryError>> {
        assert!(self.flaw != Flaw::Panics, "the store panics");
        Box::pin(async move {
            let inner = self.scope(scope);
            let stored = match self.flaw {
                Flaw::Fails => return Err(MemoryError::storage("the disk is full")),
                Flaw::Trims => text.trim().to_owned(),
                _ => text.to_owned(),
            };
            let known = self.store.find(&MemoryQuery::list(inner.clone())).await?;
            if self.flaw == Flaw::AddsTwice && known.iter().any(|memory| memory.text == text) {
                self.store.add(&inner, &format!("{text} again")).await?;
            }
            let mut memory = self.store.add(&inner, &stored).await?;
            memory.scope = scope.clone();
            Ok(memory)
        })
    }

    fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        Box::pin(async move {
            let mut inner = query.clone();
            inner.scope = self.scope(&query.scope);
            match self.flaw {
                Flaw::NoSkip => inner.skip = 0,
                Flaw::NoLimit => inner.limit = usize::MAX,
                Flaw::CutsSearches => {
                    inner.words = inner.words.map(|words| words.chars().take(100).collect());
                }
                _ => {}
            }
            let mut memories = self.store.find(&inner).await?;
            match (self.flaw, &query.words) {
                (Flaw::OldestFirst, _) => memories.reverse(),
                (Flaw::AllWords, Some(words)) => {
                    memories.retain(|memory| words.split(' ').all(|word| memory.text.contains(word)));
                }
                (Flaw::CaseCounts, Some(words)) => {
                    memories.retain(|memory| words.split(' ').any(|word| memory.text.contains(word)));
                }
                (Flaw::WholeWords, Some(words)) => {
                    let has = |text: &str| {
                        text.split(|letter: char| !letter.is_alphanumeric())
                            .any(|word| words.to_lowercase().contains(&word.to_lowercase()))
                    };
                    memories.retain(|memory| has(&memory.text));
                }
                _ => {}
            }
            for memory in &mut memories {
                memory.scope = query.scope.clone();
            }
            Ok(memories)
        })
    }

    fn forget<'a>(&'a self, scope: &'a MemoryScope, id: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>> {
        Box::pin(async move {
            if self.flaw == Flaw::ForgetsNothing {
                return Ok(true);
            }
            if self.flaw == Flaw::ForgetsAnyScope {
                for other in [MemoryScope::shared("memory"), MemoryScope::agent("ada", "memory")] {
                    self.store.forget(&other, id).await?;
                }
            }
            self.store.forget(&self.scope(scope), id).await
        })
    }

    fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
        Box::pin(async move {
            if self.flaw == Flaw::LeavesOtherKinds {
                let MemoryOwner::User(user) = owner else { return Ok(0) };
                let scope = MemoryScope::user(user, "memory");
                let memories = self.store.find(&MemoryQuery::list(scope.clone())).await?;
                for memory in &memories {
                    self.store.forget(&scope, &memory.id).await?;
                }
                return Ok(memories.len());
            }
            self.store.forget_all(owner).await
        })
    }
}

#[tokio::test]
async fn a11_the_store_in_memory_does_what_stores_promise() {
    memory_suite(|| async { VolatileMemories::default() }).await.assert_passed();
    memory_suite(|| async { Arc::new(VolatileMemories::default()) }).await.assert_passed();
}

#[tokio::test]
async fn a11_the_suite_names_what_a_store_does_wrong() {
    for (flaw, case) in [
        (Flaw::AddsTwice, "add_twice"),
        (Flaw::OldestFirst, "newest_first"),
        (Flaw::OldestFirst, "best_first"),
        (Flaw::NoSkip, "pages"),
        (Flaw::NoLimit, "pages"),
        (Flaw::AllWords, "words"),
        (Flaw::CaseCounts, "words"),
        (Flaw::WholeWords, "unspaced"),
        (Flaw::CutsSearches, "long_searches"),
        (Flaw::OneKind, "scopes"),
        (Flaw::OneOwner, "scopes"),
        (Flaw::ForgetsNothing, "forget"),
        (Flaw::ForgetsAnyScope, "scopes"),
        (Flaw::LeavesOtherKinds, "forget_all"),
        (Flaw::Fails, "add"),
        (Flaw::Trims, "any_text"),
        (Flaw::Panics, "add"),
    ] {
        let report = memory_suite(|| async { Broken { store: VolatileMemories::default(), flaw } }).await;
        assert!(report.failed().contains(&case), "{case} passes:\n{report}");
    }
}
