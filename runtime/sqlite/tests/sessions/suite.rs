//! A12: the suite for stores of sessions, on `SQLite`.
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::sqlite::Sqlite;
use onionskin::testing::session_suite;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_sqlite_passes_the_suite_for_stores_of_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let count = AtomicU32::new(0);
    let make = || async {
        let number = count.fetch_add(1, Ordering::Relaxed);
        Sqlite::open(folder.path().join(format!("{number}.db"))).await.unwrap()
    };
    let report = session_suite(make).await;
    report.assert_passed();
}
