//! A12: searches for words that many messages have.

use onionskin::sessions::{SessionQuery, SessionStore as _};
use onionskin::sqlite::Sqlite;
use serde_json::json;
use tokio::task::JoinSet;

use crate::shared::{record, write};

/// Writes sessions of one time each, from `first` on, with as many messages of these words.
async fn write_all(store: &Sqlite, first: u64, sessions: u64, messages: usize, words: &str) {
    let mut writes = JoinSet::new();
    for number in first..first + sessions {
        let message = onionskin::model::Message::user(words);
        let record = record(number, &json!({ "kind": "message", "message": message }));
        let store = store.clone();
        writes.spawn(async move { write(&store, &number.to_string(), &vec![record; messages]).await });
    }
    while let Some(written) = writes.join_next().await {
        written.unwrap().unwrap();
    }
}

/// The ids of all sessions with the words, page by page.
async fn hits(store: &Sqlite, words: &str, limit: usize) -> Vec<u64> {
    let mut query = SessionQuery::default();
    (query.text, query.limit) = (Some(words.to_owned()), limit);
    let mut ids = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        assert!(page.sessions.iter().all(|session| session.excerpt.as_ref().unwrap().contains("lamp")));
        ids.extend(page.sessions.iter().map(|session| session.id.parse::<u64>().unwrap()));
        query.cursor = page.next;
        if query.cursor.is_none() {
            return ids;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_a_search_finds_the_newest_sessions_whether_few_or_many_have_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sqlite::open(folder.path().join("sessions.db")).await.unwrap();
    // More messages than are sorted, in the oldest sessions, and more sessions without the words than are looked at.
    write_all(&store, 1, 50, 90, "a red lamp").await;
    write_all(&store, 51, 600, 1, "a green chair").await;
    let newest_first = |first: u64, last: u64| (first..=last).rev().collect::<Vec<_>>();
    assert_eq!(hits(&store, "lamp red", 20).await, newest_first(1, 50));
    assert_eq!(hits(&store, "lamp", 50).await, newest_first(1, 50));
    // Newer ones with the words are found one by one.
    write_all(&store, 651, 50, 1, "a red lamp").await;
    let all = [newest_first(651, 700), newest_first(1, 50)].concat();
    assert_eq!(hits(&store, "red lamp", 20).await, all);
    assert_eq!(hits(&store, "red lamp", 1_000).await, all);
}
