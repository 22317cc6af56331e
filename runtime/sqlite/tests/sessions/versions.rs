//! A12: files of each version.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use onionskin::budget::{Amounts, Budget, BudgetScope, BudgetStore as _, Charge};
use onionskin::memory::{MemoryQuery, MemoryScope, MemoryStore as _};
use onionskin::sessions::{SessionQuery, SessionSelection, SessionStore as _, SessionStoreError};
use onionskin::sqlite::Sqlite;
use rusqlite::Connection;

use crate::shared::{began, close, message, record, texts, write};

/// The newest version.
const VERSION: u64 = 2;

/// What the files of all versions have. `WRITE_FILE=1 cargo test -p onionskin-sqlite files_of_all_versions` writes the file of a new version.
async fn fill(store: &Sqlite) {
    let thread = serde_json::json!({
        "kind": "thread", "thread": { "caller": "Clerk", "tool": "agent__Desk", "name": "first" },
        "change": { "kind": "value", "key": "a key", "value": [1, null] },
    });
    let records = [began("ada"), message("A red lamp, please."), record(3, &thread)];
    write(store, "ticket-7", &records).await.unwrap();
    write(store, "ticket-8", &[message("\u{6771}\u{4eac}\u{306e}\u{30e9}\u{30f3}\u{30d7}")]).await.unwrap();
    write(store, "ticket-9", &[began("bob"), message(&"A long letter. ".repeat(500))]).await.unwrap();
    store.add(&MemoryScope::user("ada", "memory"), "She likes green tea.").await.unwrap();
    store.reserve(&[charge()], SystemTime::UNIX_EPOCH).await.unwrap();
}

/// Since version 2.
fn charge() -> Charge {
    let mut amounts = Amounts::default();
    amounts.tokens = 42;
    Charge::new(Budget::new("all tokens", BudgetScope::User).tokens(1_000), "ada", amounts)
}

async fn check_memories_and_budgets(store: &Sqlite) {
    let query = MemoryQuery::find(MemoryScope::user("ada", "memory"), "tea");
    assert_eq!(store.find(&query).await.unwrap()[0].text, "She likes green tea.");
    let account = store.account(charge().key()).await.unwrap().unwrap();
    assert_eq!((account.began, account.spent.tokens), (0, 42));
}

#[tokio::test]
async fn a12_files_of_all_versions_are_read() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    for version in 1..=VERSION {
        let stored = files.join(format!("v{version}.db"));
        if std::env::var_os("WRITE_FILE").is_some() && !stored.exists() {
            let store = Sqlite::open(&stored).await.unwrap();
            fill(&store).await;
            close(store, &stored).await;
        }
        let folder = tempfile::tempdir().unwrap();
        let (file, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
        fs::copy(&stored, &file).unwrap();
        let (store, expected) = (Sqlite::open(&file).await.unwrap(), Sqlite::open(&new).await.unwrap());
        fill(&expected).await;
        for session in ["ticket-7", "ticket-8", "ticket-9"] {
            assert_eq!(store.read(session, 0).await.unwrap(), expected.read(session, 0).await.unwrap());
        }
        for words in [None, Some("lamp red"), Some("\u{30e9}\u{30f3}\u{30d7}"), Some("letter")] {
            let mut query = SessionQuery::default();
            query.text = words.map(str::to_owned);
            assert_eq!(store.list(&query).await.unwrap(), expected.list(&query).await.unwrap());
        }
        if version >= 2 {
            check_memories_and_budgets(&store).await;
        }
        write(&store, "ticket-8", &[message("And more.")]).await.unwrap();
        assert_eq!(texts(&store, "ticket-8").await.unwrap().len(), 2);
        assert_eq!(store.delete(&SessionSelection::user("ada")).await.unwrap(), 1);
        assert_eq!(store.read("ticket-7", 0).await.unwrap(), []);
        let number: u32 = Connection::open(&file)
            .unwrap()
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(u64::from(number), VERSION);
    }
    assert!(!files.join(format!("v{}.db", VERSION + 1)).exists());
}

#[tokio::test]
async fn a12_a_newer_version_is_an_error_and_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    close(Sqlite::open(&file).await.unwrap(), &file).await;
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&file).unwrap();
    let error = Sqlite::open(&file).await.unwrap_err();
    assert!(matches!(error, SessionStoreError::Version { found: 99, known: VERSION, .. }), "{error:?}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn a12_a_record_of_a_newer_version_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    write(&store, "s", &[message("one")]).await.unwrap();
    let update = "UPDATE records SET json = json_set(json, '$.version', 2)";
    assert_eq!(Connection::open(&file).unwrap().execute(update, []).unwrap(), 1);
    let error = texts(&store, "s").await.unwrap_err();
    assert!(matches!(error, SessionStoreError::Version { found: 2, .. }), "{error:?}");
    // It can be deleted.
    assert_eq!(store.delete(&SessionSelection::session("s")).await.unwrap(), 1);
}
