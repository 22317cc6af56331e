//! A12: the clock of the machine jumps.

use std::path::Path;

use onionskin::sessions::{SessionStore as _, SessionStoreError};
use onionskin::sqlite::Sqlite;
use rusqlite::Connection;

use crate::shared::{lease, message, texts};

const HOUR: i64 = 60 * 60 * 1_000;

/// Sets the clock back by these milliseconds: in a file that means to move its times forward.
fn set_back(file: &Path, milliseconds: i64) {
    let update = "UPDATE sessions SET lease_start = lease_start + ?1, lease_end = lease_end + ?1";
    assert_eq!(Connection::open(file).unwrap().execute(update, [milliseconds]).unwrap(), 1);
}

/// The clock of a machine is corrected by a little all the time.
#[tokio::test]
async fn a12_a_small_correction_of_the_clock_ends_no_lease() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    let (a, b) = (lease("s", "a"), lease("s", "b"));
    store.acquire(&a).await.unwrap();
    set_back(&file, 50);
    assert_eq!(store.acquire(&b).await, Err(SessionStoreError::held("s")));
}

/// A jump in any direction ends a lease at once, and its holder learns it by type as soon as another one has acquired it.
#[tokio::test]
async fn a12_a_clock_that_jumps_blocks_no_session_and_loses_nothing() {
    for jump in [HOUR, -HOUR] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sessions.db");
        let store = Sqlite::open(&file).await.unwrap();
        let (a, b) = (lease("s", "a"), lease("s", "b"));
        store.acquire(&a).await.unwrap();
        store.append(&a, 0, &[message("one")]).await.unwrap();
        assert_eq!(store.acquire(&b).await, Err(SessionStoreError::held("s")));
        set_back(&file, jump);
        // Nobody else has it yet.
        store.append(&a, 1, &[message("two")]).await.unwrap();
        assert_eq!(store.acquire(&b).await, Err(SessionStoreError::held("s")));
        set_back(&file, jump);
        assert_eq!(store.acquire(&b).await.unwrap(), 2);
        let late = store.append(&a, 2, &[message("late")]).await;
        assert_eq!(late, Err(SessionStoreError::lost("s")));
        assert_eq!(store.acquire(&a).await, Err(SessionStoreError::held("s")));
        store.append(&b, 2, &[message("three")]).await.unwrap();
        assert_eq!(texts(&store, "s").await.unwrap(), ["one", "two", "three"]);
    }
}
