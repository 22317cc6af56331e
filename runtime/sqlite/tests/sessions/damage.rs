//! A12: files that are damaged, cut, or of another program.

use std::fs;
use std::path::Path;

use onionskin::sessions::{SessionQuery, SessionSelection, SessionStore as _, SessionStoreError};
use onionskin::sqlite::Sqlite;
use rusqlite::Connection;

use crate::shared::{began, close, message, texts, write};

const PAGE: usize = 4096;

/// Writes a file with several sessions and returns its content.
async fn new_file(file: &Path) -> Vec<u8> {
    let store = Sqlite::open(file).await.unwrap();
    for number in 0..6 {
        let records = [began("ada"), message(&format!("lamp {number}")), message(&"chair ".repeat(1_500))];
        write(&store, &format!("session-{number}"), &records).await.unwrap();
    }
    close(store, file).await;
    fs::read(file).unwrap()
}

/// Everything that the store says of the file of [`written`]. It may fail, but it may not be wrong.
async fn use_all(file: &Path) -> Result<(), SessionStoreError> {
    let store = Sqlite::open(file).await?;
    let mut results = Vec::new();
    for number in 0..6 {
        let read = texts(&store, &format!("session-{number}")).await;
        results.push(read.map(|texts| assert_eq!(texts[0], format!("lamp {number}"))));
    }
    results.push(store.list(&SessionQuery::default()).await.map(|page| assert_eq!(page.sessions.len(), 6)));
    let mut search = SessionQuery::default();
    search.text = Some("lamp 3".to_owned());
    results.push(store.list(&search).await.map(|page| assert_eq!(&*page.sessions[0].id, "session-3")));
    results.push(write(&store, "session-1", &[message("more")]).await);
    drop(store);
    results.into_iter().collect()
}

fn is_typed(error: &SessionStoreError) -> bool {
    matches!(error, SessionStoreError::Corrupt { .. } | SessionStoreError::Foreign { .. })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_a_damaged_page_is_an_error_by_type_and_never_a_wrong_answer() {
    let folder = tempfile::tempdir().unwrap();
    let sound = new_file(&folder.path().join("sound.db")).await;
    let mut failed = 0;
    for page in 0..sound.len() / PAGE {
        let mut content = sound.clone();
        content[page * PAGE..(page + 1) * PAGE].fill(0xd7);
        let file = folder.path().join(format!("{page}.db"));
        fs::write(&file, content).unwrap();
        if let Err(error) = use_all(&file).await {
            assert!(is_typed(&error), "page {page}: {error:?}");
            assert!(error.to_string().contains(&format!("{page}.db")), "{error}");
            failed += 1;
        }
    }
    // Some pages are free, or those of indexes that were not needed.
    assert!(failed > 10, "{failed} of {}", sound.len() / PAGE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_a_file_that_was_cut_is_an_error_by_type() {
    let folder = tempfile::tempdir().unwrap();
    let sound = new_file(&folder.path().join("sound.db")).await;
    for length in (1..sound.len()).step_by(PAGE + 517) {
        let file = folder.path().join(format!("{length}.db"));
        fs::write(&file, &sound[..length]).unwrap();
        let error = use_all(&file).await.unwrap_err();
        assert!(is_typed(&error), "{length} bytes: {error:?}");
    }
    use_all(&folder.path().join("sound.db")).await.unwrap();
}

#[tokio::test]
async fn a12_a_file_of_another_program_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let [text, short, other] = ["text.db", "short.db", "other.db"].map(|name| folder.path().join(name));
    fs::write(&text, "This is a letter, and no database. ".repeat(100)).unwrap();
    fs::write(&short, "no").unwrap();
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    for file in [&text, &short, &other] {
        let before = fs::read(file).unwrap();
        let error = Sqlite::open(file).await.unwrap_err();
        assert!(matches!(&error, SessionStoreError::Foreign { .. }), "{error:?}");
        assert_eq!(fs::read(file).unwrap(), before);
    }
    let folder_itself = Sqlite::open(folder.path()).await.unwrap_err();
    assert!(matches!(&folder_itself, SessionStoreError::Storage { .. }), "{folder_itself:?}");
    let error = Sqlite::open(folder.path().join("no/such/folder.db")).await.unwrap_err();
    assert!(matches!(&error, SessionStoreError::Storage { .. }), "{error:?}");
}

/// A record that another program changed.
#[tokio::test]
async fn a12_a_record_that_was_changed_or_removed_is_an_error_by_type() {
    let folder = tempfile::tempdir().unwrap();
    for (number, change) in [
        "UPDATE records SET json = 'no record' WHERE id % 4 = 1",
        "UPDATE records SET json = replace(json, 'version', 'wersion') WHERE id % 4 = 1",
        "DELETE FROM records WHERE id % 4 = 1",
        "DELETE FROM records WHERE id % 4 = 2",
        "UPDATE sessions SET records = -1",
        "UPDATE sessions SET records = 2",
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(format!("{number}.db"));
        new_file(&file).await;
        assert!(Connection::open(&file).unwrap().execute(change, []).unwrap() > 0);
        let store = Sqlite::open(&file).await.unwrap();
        let error = texts(&store, "session-1").await.unwrap_err();
        assert!(matches!(&error, SessionStoreError::Corrupt { .. }), "{change}: {error:?}");
    }
}

/// A file that another program made, or changed.
#[tokio::test]
async fn a12_other_tables_than_those_of_the_store_are_an_error_and_are_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let sound = new_file(&file).await;
    for change in [
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM sessions; END",
        "CREATE VIEW v AS SELECT load_extension('x') FROM records",
        "CREATE TABLE t (x)",
        "CREATE INDEX i ON sessions (user)",
        "DROP INDEX sessions_by_time",
        "ALTER TABLE sessions ADD COLUMN x INT AS (abs(id))",
        "DROP TABLE texts; CREATE TABLE texts (text)",
        // With the names of what `ANALYZE` makes.
        "PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat9', 'records', 0,
             'CREATE TRIGGER sqlite_stat9 AFTER INSERT ON records BEGIN DELETE FROM sessions; END')",
        "ANALYZE; PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat,x AS (abs(stat)))'
             WHERE name = 'sqlite_stat1'",
    ] {
        fs::write(&file, &sound).unwrap();
        Connection::open(&file).unwrap().execute_batch(change).unwrap();
        let before = fs::read(&file).unwrap();
        let error = Sqlite::open(&file).await.unwrap_err();
        assert!(matches!(&error, SessionStoreError::Corrupt { .. }), "{change}: {error:?}");
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    fs::write(&file, &sound).unwrap();
    Connection::open(&file).unwrap().execute_batch("ANALYZE").unwrap();
    use_all(&file).await.unwrap();
}

/// The ids of the records of such a session would not be numbers.
#[tokio::test]
async fn a12_a_session_with_an_id_out_of_range_is_an_error_by_type() {
    let folder = tempfile::tempdir().unwrap();
    for id in [i64::MAX, (1 << 39) - 1, -1] {
        let file = folder.path().join(format!("{id}.db"));
        new_file(&file).await;
        let update = "UPDATE sessions SET id = ?1 WHERE name = 'session-1'";
        assert_eq!(Connection::open(&file).unwrap().execute(update, [id]).unwrap(), 1);
        let store = Sqlite::open(&file).await.unwrap();
        let selection = SessionSelection::session("session-1");
        for error in [
            texts(&store, "session-1").await.unwrap_err(),
            write(&store, "session-1", &[message("more")]).await.unwrap_err(),
            store.list(&SessionQuery::default()).await.unwrap_err(),
            store.delete(&selection).await.unwrap_err(),
        ] {
            assert!(matches!(&error, SessionStoreError::Corrupt { .. }), "{id}: {error:?}");
        }
    }
}
