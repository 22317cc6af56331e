//! A12: two processes write the same sessions, and are killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use onionskin::sessions::{SessionLease, SessionQuery, SessionStore as _, SessionStoreError};
use onionskin::sqlite::Sqlite;

use crate::shared::{Numbers, message, texts};

const TEST: &str = "processes::a12_two_processes_that_are_killed_lose_nothing_and_write_nothing_twice";
/// The file and the seed of a process that writes.
const FILE: &str = "ONIONSKIN_FILE";
const SEED: &str = "ONIONSKIN_SEED";
const SEEDS: u64 = 50;
const SESSIONS: usize = 8;
/// A process that nobody kills ends.
const LIFE: Duration = Duration::from_secs(10);
/// Short, so that the leases of a killed process end while the others write.
const LEASE: Duration = Duration::from_millis(60);

/// Writes until it is killed, and says what it has written.
async fn write_for_ever(file: &Path, seed: u64) {
    let store = Sqlite::open(file).await.unwrap();
    let writers = (0..4_u64).map(|writer| {
        let (store, numbers) = (store.clone(), Numbers(seed * 10 + writer));
        tokio::spawn(async move { write_sessions(&store, numbers, &format!("{seed}-{writer}")).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

async fn write_sessions(store: &Sqlite, mut numbers: Numbers, name: &str) {
    let start = Instant::now();
    let mut batch = 0;
    while start.elapsed() < LIFE {
        let session = format!("session-{}", numbers.below(SESSIONS));
        let lease = SessionLease::new(&*session, name, LEASE);
        let mut count = match store.acquire(&lease).await {
            Ok(count) => count,
            Err(SessionStoreError::Held { .. }) => {
                tokio::task::yield_now().await;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        for _ in 0..=numbers.below(4) {
            batch += 1;
            let size = 1 + numbers.below(3);
            let filler = "and so on ".repeat(numbers.below(200));
            let records: Vec<_> = (count..)
                .zip(1..=size)
                .map(|(number, part)| message(&format!("{number} {name}/{batch} {part}/{size} {filler}")))
                .collect();
            match store.append(&lease, count, &records).await {
                Ok(()) => count += u64::try_from(size).unwrap(),
                // It was too slow.
                Err(SessionStoreError::Lost { .. }) => break,
                Err(error) => panic!("{error}"),
            }
            println!("\nwritten {session} {count} {name}/{batch} {size}");
        }
        if numbers.below(3) > 0 {
            store.release(&lease).await.unwrap();
        }
    }
}

fn start(file: &Path, seed: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([TEST, "--exact", "--nocapture"])
        .env(FILE, file)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills a process, and returns the last records of the appends that it said were written: session, number of records, batch and
/// size.
fn kill(mut child: Child) -> Vec<(String, usize, String, usize)> {
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    let shown = String::from_utf8(output.stdout).unwrap();
    let lines =
        shown.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.strip_prefix("written "));
    let written = lines.map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        (words[0].to_owned(), words[1].parse().unwrap(), words[2].to_owned(), words[3].parse().unwrap())
    });
    written.collect()
}

/// Checks that the numbers of a session have no holes, and that each batch is whole. Returns the batches by their end.
fn batches(texts: &[String]) -> BTreeMap<usize, (String, usize)> {
    let mut batches = BTreeMap::new();
    let mut expected: Option<(String, usize, usize)> = None;
    for (number, text) in texts.iter().enumerate() {
        let words: Vec<_> = text.split(' ').collect();
        let (part, size) = words[2].split_once('/').unwrap();
        let (part, size): (usize, usize) = (part.parse().unwrap(), size.parse().unwrap());
        assert_eq!(words[0], number.to_string(), "a record is lost or there twice");
        let next = expected.take().unwrap_or_else(|| (words[1].to_owned(), 1, size));
        assert_eq!(next, (words[1].to_owned(), part, size), "a batch is not whole");
        if part == size {
            batches.insert(number + 1, (words[1].to_owned(), size));
        } else {
            expected = Some((words[1].to_owned(), part + 1, size));
        }
    }
    assert_eq!(expected, None, "a batch is not whole");
    batches
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_two_processes_that_are_killed_lose_nothing_and_write_nothing_twice() {
    if let (Some(file), Ok(seed)) = (std::env::var_os(FILE), std::env::var(SEED)) {
        return write_for_ever(Path::new(&file), seed.parse().unwrap()).await;
    }
    let mut appends = 0;
    for seed in 0..SEEDS {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sessions.db");
        let mut numbers = Numbers(seed);
        let mut written = Vec::new();
        let mut processes = [start(&file, seed * 10), start(&file, seed * 10 + 1)];
        // The moment is random, so that a kill meets any step of a write.
        for next in 2..4 {
            thread::sleep(Duration::from_millis(50 + u64::try_from(numbers.below(100)).unwrap()));
            let killed = std::mem::replace(
                &mut processes[next % 2],
                start(&file, seed * 10 + u64::try_from(next).unwrap()),
            );
            written.extend(kill(killed));
        }
        thread::sleep(Duration::from_millis(50 + u64::try_from(numbers.below(100)).unwrap()));
        for process in processes {
            written.extend(kill(process));
        }
        let store = Sqlite::open(&file).await.unwrap();
        let mut sessions = BTreeMap::new();
        for number in 0..SESSIONS {
            let session = format!("session-{number}");
            sessions.insert(session.clone(), batches(&texts(&store, &session).await.unwrap()));
        }
        for (session, end, batch, size) in &written {
            assert_eq!(
                sessions[session].get(end),
                Some(&(batch.clone(), *size)),
                "seed {seed}: {session} {end}"
            );
        }
        // At most the append in flight of each of the 4 writers of 4 processes was not reported.
        let stored: usize = sessions.values().map(BTreeMap::len).sum();
        assert!((written.len()..=written.len() + 16).contains(&stored), "{stored}, {}", written.len());
        // The lists and the index are in step with the records.
        let mut query = SessionQuery::default();
        query.text = Some("1/1".to_owned());
        store.list(&query).await.unwrap();
        let page = store.list(&SessionQuery::default()).await.unwrap();
        assert_eq!(page.sessions.len(), sessions.values().filter(|batches| !batches.is_empty()).count());
        appends += written.len();
    }
    println!("{appends} appends");
    assert!(appends > 500, "{appends} appends");
}
