//! A12: deleted content is in none of the files.
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use onionskin::memory::{MemoryOwner, MemoryQuery, MemoryScope, MemoryStore as _};
use onionskin::sessions::{SessionSelection, SessionStore as _};
use onionskin::sqlite::Sqlite;
use rusqlite::Connection;

use crate::shared::{Numbers, began, close, message, texts, write};

/// The user of some of the sessions.
const LEAVES: &str = "theuserwholeavesforgood";

/// The number of letters at the end of a word that are searched for: an index stores the beginning of a word once for several
/// words.
const END: usize = 18;

fn end(word: &str) -> &[u8] {
    &word.as_bytes()[word.len() - END..]
}

/// All sequences of letters in the files of the folder that can be the end of a word.
fn ends(folder: &Path) -> HashSet<Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    let mut ends = HashSet::new();
    for file in files {
        for letters in file.split(|byte| !byte.is_ascii_lowercase()) {
            ends.extend(letters.windows(END).map(<[u8]>::to_vec));
        }
    }
    ends
}

/// The words in an index.
fn indexed_words(file: &Path, index: &str) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let create = format!("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, {index}, row)");
    connection.execute_batch(&create).unwrap();
    let mut select = connection.prepare("SELECT term FROM temp.words").unwrap();
    let words = select.query_map([], |row| row.get(0)).unwrap();
    words.map(Result::unwrap).collect()
}

struct Fixture {
    session: String,
    user: String,
    words: Vec<Arc<str>>,
}

/// Writes sessions of several users, with texts of all sizes.
async fn write_sessions(store: &Sqlite, sessions: usize, rounds: usize) -> Vec<Fixture> {
    let mut numbers = Numbers(1);
    let mut written: Vec<_> = (0..sessions)
        .map(|number| Fixture {
            session: format!("session-{}", numbers.word()),
            user: if number % 8 == 3 { LEAVES.to_owned() } else { format!("user-{}", number % 8) },
            words: Vec::new(),
        })
        .collect();
    for _ in 0..rounds {
        let number = numbers.below(sessions);
        let Fixture { session, user, words } = &mut written[number];
        let records: Vec<_> = (0..=numbers.below(4))
            .map(|_| {
                let word = numbers.word();
                let size = [0, 10, 100, 1_000, 5_000, 20_000][numbers.below(6)];
                words.push(Arc::clone(&word));
                message(&format!("{word} {}{word}", "and so on, ".repeat(size / 11)))
            })
            .collect();
        write(store, session, &[&[began(user)], &records[..]].concat()).await.unwrap();
    }
    written
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_deleted_content_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    let written = write_sessions(&store, 40, 400).await;
    let (deleted, rest): (Vec<_>, Vec<_>) =
        written.iter().enumerate().partition(|(number, written)| number % 4 != 0 || written.user == LEAVES);
    let ends_before = ends(folder.path());
    for (_, Fixture { session, words, .. }) in &deleted {
        assert!(ends_before.contains(end(session)));
        assert!(words.iter().all(|word| ends_before.contains(end(word))));
    }
    let deletions = deleted.iter().filter(|(_, written)| written.user != LEAVES).map(|(_, written)| {
        let store = store.clone();
        let selection = SessionSelection::session(written.session.as_str());
        tokio::spawn(async move { store.delete(&selection).await })
    });
    for deletion in deletions.collect::<Vec<_>>() {
        assert_eq!(deletion.await.unwrap().unwrap(), 1);
    }
    assert!(store.delete(&SessionSelection::user(LEAVES)).await.unwrap() > 0);
    // While the store is open.
    let (indexed, ends) = (indexed_words(&file, "texts"), ends(folder.path()));
    for (_, Fixture { session, user, words }) in &deleted {
        assert!(!ends.contains(end(session)));
        for word in words {
            assert!(!ends.contains(end(word)));
            assert!(!indexed.contains(&word.to_string()));
        }
        assert!(user != LEAVES || !ends.contains(end(user)));
    }
    // The others are as they were.
    for (_, Fixture { session, words, .. }) in &rest {
        let stored = texts(&store, session).await.unwrap();
        assert_eq!(stored.len(), words.len());
        assert!(stored.iter().zip(words).all(|(text, word)| text.starts_with(&**word)));
        assert!(words.iter().all(|word| indexed.contains(&word.to_string())));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a11_forgotten_memories_are_in_no_file_and_sessions_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    let mut numbers = Numbers(1);
    let (mut kept, mut forgotten) = (Vec::new(), Vec::new());
    // Pages that a rewritten file would not have.
    write(&store, "s", &[message(&"and so on, ".repeat(100_000))]).await.unwrap();
    let raw = Connection::open(&file).unwrap();
    raw.execute("UPDATE records SET json = '{}'", []).unwrap();
    for round in 0..30 {
        for _ in 0..8 {
            let word = numbers.word();
            let size = [0, 10, 100, 1_000, 20_000][numbers.below(5)];
            let scope = MemoryScope::user(format!("user-{}", numbers.below(5)), "memory");
            let text = format!("{word} {}{word}", "and so on, ".repeat(size / 11));
            kept.push((store.add(&scope, &text).await.unwrap(), word));
        }
        for _ in 0..round % 5 {
            let (memory, word) = kept.swap_remove(numbers.below(kept.len()));
            assert!(store.forget(&memory.scope, &memory.id).await.unwrap());
            forgotten.push((memory, word));
        }
        let ends = ends(folder.path());
        assert!(forgotten.iter().all(|(_, word)| !ends.contains(end(word))), "{round}");
    }
    let (of_user, rest): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|(memory, _)| memory.scope == MemoryScope::user("user-3", "memory"));
    assert_eq!(store.forget_all(&MemoryOwner::User("user-3".to_owned())).await.unwrap(), of_user.len());
    forgotten.extend(of_user);
    let (indexed, ends) = (indexed_words(&file, "memory_words"), ends(folder.path()));
    for (_, word) in &forgotten {
        assert!(!ends.contains(end(word)) && !indexed.contains(&word.to_string()));
    }
    for (memory, word) in &rest {
        assert!(ends.contains(end(word)));
        let query = MemoryQuery::find(memory.scope.clone(), &**word);
        assert_eq!(store.find(&query).await.unwrap(), std::slice::from_ref(memory));
    }
    let free: i64 = raw.pragma_query_value(None, "freelist_count", |row| row.get(0)).unwrap();
    assert!(free > 100, "{free}");
}

/// A program that was killed between the deletion and the end of its rewriting.
#[tokio::test]
async fn a12_an_interrupted_deletion_is_finished_when_the_file_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    let word = Numbers(1).word();
    write(&store, "s", &[message(&word)]).await.unwrap();
    close(store, &file).await;
    Connection::open(&file)
        .unwrap()
        .execute_batch(
            "PRAGMA secure_delete = OFF; BEGIN; DELETE FROM texts; DELETE FROM records; DELETE FROM sessions;
             INSERT INTO wipes (of_sessions) VALUES (1); COMMIT",
        )
        .unwrap();
    assert!(ends(folder.path()).contains(end(&word)));
    let store = Sqlite::open(&file).await.unwrap();
    assert!(!ends(folder.path()).contains(end(&word)));
    write(&store, "s", &[message("again")]).await.unwrap();
}
