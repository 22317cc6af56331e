//! A12: handles, and the end of the last one.

use std::fs;

use onionskin::sessions::{SessionQuery, SessionStore as _};
use onionskin::sqlite::Sqlite;

use crate::shared::{close, message, texts, write};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_the_last_handle_closes_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    // Often, because connections that close at the same time would leave the log now and then.
    for round in 1..=100 {
        let store = Sqlite::open(&file).await.unwrap();
        let clone = store.clone();
        drop(store);
        write(&clone, "s", &[message("one")]).await.unwrap();
        assert_eq!(texts(&clone, "s").await.unwrap().len(), round);
        clone.list(&SessionQuery::default()).await.unwrap();
        close(clone, &file).await;
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files, [file.as_path()]);
    }
}

/// A write that is dropped after it was sent has no reader, and the next ones go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_handles_of_several_files_and_of_one_file_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("1.db"), folder.path().join("2.db"));
    let one = Sqlite::open(&first).await.unwrap();
    let again = Sqlite::open(&first).await.unwrap();
    let other = Sqlite::open(&second).await.unwrap();
    write(&one, "s", &[message("one")]).await.unwrap();
    write(&again, "s", &[message("two")]).await.unwrap();
    write(&other, "s", &[message("other")]).await.unwrap();
    assert_eq!(texts(&one, "s").await.unwrap(), ["one", "two"]);
    assert_eq!(texts(&again, "s").await.unwrap(), ["one", "two"]);
    assert_eq!(texts(&other, "s").await.unwrap(), ["other"]);
    drop(one);
    write(&again, "s", &[message("three")]).await.unwrap();
    assert_eq!(texts(&again, "s").await.unwrap().len(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a12_only_the_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    write(&store, "s", &[message("one")]).await.unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
    drop(store);
}

/// Nothing in a path has a meaning for `SQLite`.
#[tokio::test]
async fn a12_a_path_is_a_path() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:x.db?mode=memory", ":memory:", "a b%20c.db", "\u{e9}.db"] {
        let file = folder.path().join(name);
        let store = Sqlite::open(&file).await.unwrap();
        write(&store, "s", &[message("one")]).await.unwrap();
        assert_eq!(texts(&store, "s").await.unwrap(), ["one"]);
        assert!(file.exists());
    }
}

/// The log beside the file is as long as its longest content, unless it is cut.
#[tokio::test]
async fn a12_the_log_is_cut_after_many_writes_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    let large: Vec<_> = (0..30).map(|_| message(&"lamp ".repeat(200_000))).collect();
    write(&store, "s", &large).await.unwrap();
    let length = || fs::metadata(file.with_extension("db-wal")).unwrap().len();
    for _ in 0..3 {
        write(&store, "s", &[message("one")]).await.unwrap();
    }
    assert!(length() <= 8 << 20, "{}", length());
}
