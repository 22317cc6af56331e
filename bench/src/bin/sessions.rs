//! What a store of sessions with 100,000 sessions and 1,000,000 records costs, beside rusqlite writing the same rows in the same
//! commits. `cargo run --release --no-default-features --features sessions --bin sessions [SESSIONS]`

use std::path::Path;
use std::time::{Duration, Instant};

use onionskin::sessions::{SessionLease, SessionQuery, SessionRecord, SessionSelection, SessionStore};
use onionskin::sqlite::Sqlite;
use rusqlite::{Connection, params};
use serde_json::json;

/// The records of a session: two turns.
const RECORDS: u64 = 10;
const ROUNDS: u64 = 2_000;

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A text of 60 words: some of them in each, some rare.
fn text(numbers: &mut Numbers) -> String {
    let mut words: Vec<_> = (0..60)
        .map(|_| {
            let word = numbers.below(20_000);
            format!("word{}", word * word / 20_000)
        })
        .collect();
    words.push("common".to_owned());
    if numbers.below(1_000) == 0 {
        words.push("seldom".to_owned());
    }
    words.join(" ")
}

fn record(at: u64, numbers: &mut Numbers) -> SessionRecord {
    let message = json!({ "role": "user", "content": [{ "type": "text", "text": text(numbers) }] });
    let stored = json!({ "version": 1, "at": at, "change": { "kind": "message", "message": message } });
    SessionRecord::from_json(&stored.to_string()).expect("a record")
}

fn lease(session: u64) -> SessionLease {
    SessionLease::new(format!("session-{session}"), "bench", Duration::from_secs(60))
}

/// The tables of the store, filled with plain statements.
struct Raw {
    connection: Connection,
}

impl Raw {
    fn open(file: &Path) -> Self {
        let connection = Connection::open(file).expect("a file");
        connection.set_prepared_statement_cache_capacity(32);
        connection.pragma_update(None, "synchronous", "full").expect("a setting");
        connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(())).expect("a setting");
        Self { connection }
    }

    fn append(&self, id: i64, after: u64, records: &[(u64, String, String)]) {
        let begin = self.connection.unchecked_transaction().expect("a transaction");
        let run = |statement: &str, values: &[&dyn rusqlite::ToSql]| {
            begin.prepare_cached(statement).and_then(|mut it| it.execute(values)).expect("a write")
        };
        for (number, (_, json, text)) in (after..).zip(records) {
            let record = (id << 24) + number as i64;
            run("INSERT INTO records (id, json) VALUES (?1, ?2)", params![record, json]);
            run("INSERT INTO texts (rowid, text) VALUES (?1, ?2)", params![record, text]);
        }
        let (count, at) = ((after + records.len() as u64) as i64, records[0].0 as i64);
        let update =
            "UPDATE sessions SET updated = ?2, records = ?3, lease_start = ?2, lease_end = ?2 WHERE id = ?1";
        run(update, params![id, at, count]);
        begin.commit().expect("a commit");
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let sessions: u64 = std::env::args().nth(1).map_or(100_000, |count| count.parse().expect("a number"));
    let folder = std::env::temp_dir().join(format!("onionskin-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (ours, raw) = (folder.join("ours.db"), folder.join("raw.db"));
    let store = Sqlite::open(&ours).await.expect("a store");
    let mut numbers = Numbers(1);

    // Many at a time, so that they share commits.
    let start = Instant::now();
    for first in (0..sessions).step_by(200) {
        let writes = (first..(first + 200).min(sessions)).map(|session| {
            let records: Vec<_> =
                (0..RECORDS).map(|_| record(1_800_000_000_000 + session, &mut numbers)).collect();
            let store = store.clone();
            async move {
                let lease = lease(session);
                store.acquire(&lease).await.expect("a lease");
                store.append(&lease, 0, &records).await.expect("an append");
                store.release(&lease).await.expect("a release");
            }
        });
        futures_util::future::join_all(writes).await;
    }
    println!("{sessions} sessions, {} records: written in {:?}", sessions * RECORDS, start.elapsed());
    drop(store);
    while ours.with_extension("db-wal").exists() {
        std::thread::yield_now();
    }
    println!("the file has {} MB", std::fs::metadata(&ours).expect("a file").len() / 1_000_000);
    std::fs::copy(&ours, &raw).expect("a copy");

    let start = Instant::now();
    let store = Sqlite::open(&ours).await.expect("a store");
    println!("open the file: {:?}", start.elapsed());

    let mut opened = Vec::new();
    for _ in 0..ROUNDS {
        let session = format!("session-{}", numbers.below(sessions));
        let start = Instant::now();
        assert_eq!(store.read(&session, 0).await.expect("records").len() as u64, RECORDS);
        opened.push(start.elapsed());
    }
    opened.sort();
    println!(
        "open a session: median {:?}, slowest {:?} (gate: 5 ms)",
        opened[opened.len() / 2],
        opened[opened.len() - 1]
    );

    // A turn is two records. Both take turns, so that they meet the same disk.
    let raw = Raw::open(&raw);
    let (mut our_times, mut raw_times) = (Vec::new(), Vec::new());
    let mut written = std::collections::HashMap::new();
    for round in 0..ROUNDS {
        let session = numbers.below(sessions);
        let at = 1_900_000_000_000 + round;
        let records = [record(at, &mut numbers), record(at, &mut numbers)];
        let rows = records
            .iter()
            .map(|record| (at, record.to_json().expect("JSON"), record.search_text().expect("a text")));
        let rows: Vec<_> = rows.collect();
        let after = *written.entry(session).and_modify(|count| *count += 2).or_insert(RECORDS);
        let lease = lease(session);
        store.acquire(&lease).await.expect("a lease");
        let id: i64 = raw
            .connection
            .query_row("SELECT id FROM sessions WHERE name = ?1", [lease.session()], |row| row.get(0))
            .expect("a session");
        let start = Instant::now();
        store.append(&lease, after, &records).await.expect("an append");
        our_times.push(start.elapsed());
        let start = Instant::now();
        raw.append(id, after, &rows);
        raw_times.push(start.elapsed());
    }
    let (ours_total, raw_total): (Duration, Duration) = (our_times.iter().sum(), raw_times.iter().sum());
    let (ours_median, raw_median) = (median(our_times), median(raw_times));
    println!(
        "append a turn: median {ours_median:?}, raw {raw_median:?}, {:.2} x; all {ours_total:?}, raw {raw_total:?}, {:.2} x (gate: 1.5 x)",
        ours_median.as_secs_f64() / raw_median.as_secs_f64(),
        ours_total.as_secs_f64() / raw_total.as_secs_f64(),
    );

    for words in ["seldom", "word7", "word19000", "common", "common word7", "seldom common", "nowhere"] {
        let mut query = SessionQuery::default();
        query.text = Some(words.to_owned());
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..11 {
            let start = Instant::now();
            found = store.list(&query).await.expect("a list").sessions.len();
            times.push(start.elapsed());
        }
        println!("search {words:?}: {found} sessions, median {:?} (gate: 50 ms)", median(times));
    }
    let start = Instant::now();
    let page = store.list(&SessionQuery::default()).await.expect("a list");
    println!("list the newest {}: {:?}", page.sessions.len(), start.elapsed());

    let start = Instant::now();
    store.delete(&SessionSelection::session("session-0")).await.expect("a deletion");
    println!("delete a session for good: {:?}", start.elapsed());
    drop((store, raw));
    std::fs::remove_dir_all(&folder).expect("a folder");
}
