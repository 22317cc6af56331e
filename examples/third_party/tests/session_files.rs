//! A12: a store of sessions from public items only passes the suite for stores.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::atomic::{AtomicU32, Ordering};

use onionskin_testing::session_suite;
use onionskin_third_party::SessionFiles;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_a_store_in_files_passes_the_suite_for_stores_of_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let count = AtomicU32::new(0);
    let make = || async {
        let number = count.fetch_add(1, Ordering::Relaxed).to_string();
        SessionFiles::open(folder.path().join(number)).unwrap()
    };
    session_suite(make).await.assert_passed();
}
