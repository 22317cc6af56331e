//! A11, A12, A13: the suites for stores, on `SQLite`.

use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::budget::BudgetStore as _;
use onionskin::memory::{MemoryQuery, MemoryScope, MemoryStore as _};
use onionskin::sqlite::Sqlite;
use onionskin::testing::{SuiteReport, budget_suite, memory_suite, session_suite};

/// Runs a suite that makes a store for each case.
async fn run(suite: impl AsyncFnOnce(&dyn Fn() -> std::path::PathBuf) -> SuiteReport) {
    let folder = tempfile::tempdir().unwrap();
    let count = AtomicU32::new(0);
    let next = || folder.path().join(format!("{}.db", count.fetch_add(1, Ordering::Relaxed)));
    suite(&next).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_sqlite_passes_the_suite_for_stores_of_sessions() {
    run(async |next| session_suite(|| async { Sqlite::open(next()).await.unwrap() }).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a11_sqlite_passes_the_suite_for_stores_of_memories() {
    run(async |next| memory_suite(|| async { Sqlite::open(next()).await.unwrap() }).await).await;
}

/// What is equal for the index is equal for the order.
#[tokio::test]
async fn a11_memories_with_more_of_the_words_come_first_whatever_their_accents() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(folder.path().join("memories.db")).await.unwrap();
    let ada = MemoryScope::user("ada", "memory");
    for text in ["Their caf\u{e9} is in Z\u{fc}rich.", "They met in a cafe.", "They live near ZURICH."] {
        store.add(&ada, text).await.unwrap();
    }
    for words in ["cafe zurich", "caf\u{e9} Z\u{fc}rich", "zurich caf\u{e9}"] {
        let hits = store.find(&MemoryQuery::find(ada.clone(), words)).await.unwrap();
        let texts: Vec<_> = hits.iter().map(|memory| &*memory.text).collect();
        assert_eq!(
            texts,
            ["Their caf\u{e9} is in Z\u{fc}rich.", "They live near ZURICH.", "They met in a cafe."]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a13_sqlite_passes_the_suite_for_stores_of_budgets() {
    let folder = tempfile::tempdir().unwrap();
    let open = async |name: &str| Sqlite::open(folder.path().join(format!("{name}.db"))).await.unwrap();
    budget_suite(open).await.assert_passed();
}

#[tokio::test]
async fn a13_clones_of_a_handle_are_one_store() {
    let folder = tempfile::tempdir().unwrap();
    let open = async |name: &str| Sqlite::open(folder.path().join(name)).await.unwrap();
    let (one, other) = (open("one.db").await, open("other.db").await);
    assert_eq!(one.identity(), one.clone().identity());
    assert_ne!(one.identity(), other.identity());
}
