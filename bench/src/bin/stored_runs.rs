//! 1,000 concurrent runs of an agent whose sessions are in one `SQLite` file, beside the same by hand: a loop that calls the
//! model and the tool, and a thread that writes the same messages in shared commits. Both wait for each message to be
//! durable. `cargo run --release --no-default-features --features sessions --bin stored_runs [RUNS]`

use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::sqlite::Sqlite;
use onionskin::{agent, tool};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tokio::sync::oneshot;

const ROUNDS: usize = 5;
const ANSWER: &str = "It is written down.";

/// Writes a word down.
#[tool]
fn note(word: String) -> String {
    format!("noted {word}")
}

agent! {
    Clerk { instruction: "Write down each word.", function_tools: [note] }
}

/// Writes down the last input, then says so.
struct Diligent;

impl Model for Diligent {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let mut response = ModelResponse::default();
        match request.messages.last() {
            Some(message @ Message::User { .. }) => {
                let arguments = json!({ "word": message.to_text() }).to_string();
                response.tool_calls.push(ToolCall::new("call_1", "note", arguments));
            }
            _ => ANSWER.clone_into(&mut response.text),
        }
        Ok(response)
    }
}

async fn runs_of_agent(file: &Path, runs: usize) {
    let store = Sqlite::open(file).await.expect("a store");
    let clerk = Clerk::builder().model(Diligent).session_store(store).build().await.expect("an agent");
    let runs = (0..runs).map(async |number| {
        let session = clerk.open_session(format!("s{number}")).await.expect("a session");
        clerk.request(format!("w{number}")).session(&session).run().await.expect("an answer");
        assert_eq!(session.history().len(), 4);
    });
    futures_util::future::join_all(runs).await;
}

/// A message of a session, and who waits until it is durable.
struct Write {
    session: usize,
    number: usize,
    json: String,
    text: String,
    written: oneshot::Sender<()>,
}

/// Writes all messages that wait in one commit.
fn write(file: &Path, messages: &mpsc::Receiver<Write>) {
    let mut connection = Connection::open(file).expect("a file");
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).expect("a setting");
    connection.pragma_update(None, "synchronous", "full").expect("a setting");
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(())).expect("a setting");
    connection
        .execute_batch(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;
             CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1);",
        )
        .expect("tables");
    while let Ok(first) = messages.recv() {
        let writes: Vec<_> = std::iter::once(first).chain(messages.try_iter()).collect();
        let commit = connection.transaction().expect("a transaction");
        for Write { session, number, json, text, .. } in &writes {
            let id = ((*session as i64) << 24) + *number as i64;
            let run = |statement: &str, value: &str| {
                commit
                    .prepare_cached(statement)
                    .and_then(|mut it| it.execute(params![id, value]))
                    .expect("a row")
            };
            run("INSERT INTO messages (id, json) VALUES (?1, ?2)", json);
            run("INSERT INTO texts (rowid, text) VALUES (?1, ?2)", text);
        }
        commit.commit().expect("a commit");
        for write in writes {
            let _ = write.written.send(());
        }
    }
}

async fn runs_by_hand(file: &Path, runs: usize) {
    let (messages, received) = mpsc::channel();
    let path = file.to_owned();
    let writer = std::thread::spawn(move || write(&path, &received));
    let runs = (0..runs).map(|session| {
        let messages = messages.clone();
        async move {
            let mut history: Vec<Value> = Vec::new();
            let append = async |history: &mut Vec<Value>, message: Value, text: &str| {
                let (json, text, number) = (message.to_string(), text.to_owned(), history.len());
                history.push(message);
                let (written, durable) = oneshot::channel();
                messages.send(Write { session, number, json, text, written }).expect("a writer");
                durable.await.expect("a commit");
            };
            let word = format!("w{session}");
            append(&mut history, json!({ "role": "user", "content": word }), &word).await;
            // The model's answers.
            let arguments = json!({ "word": word }).to_string();
            let call = json!({ "id": "call_1", "name": "note", "arguments": arguments });
            append(&mut history, json!({ "role": "assistant", "tool_calls": [call] }), "").await;
            let arguments: Value = serde_json::from_str(&arguments).expect("JSON");
            let result = format!("noted {}", arguments["word"].as_str().expect("a word"));
            let message = json!({ "role": "tool", "call_id": "call_1", "content": result });
            append(&mut history, message, &result).await;
            append(&mut history, json!({ "role": "assistant", "content": ANSWER }), ANSWER).await;
            assert_eq!(history.len(), 4);
        }
    });
    futures_util::future::join_all(runs.collect::<Vec<_>>()).await;
    drop(messages);
    writer.join().expect("a writer");
}

/// The files of the folder that this process has open.
fn open_files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return 0 };
    let files = entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    files.filter(|file| file.starts_with(folder)).count()
}

/// The most memory that this process had, in kB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The process of one measurement: prints microseconds, kB and open files.
#[tokio::main(flavor = "current_thread")]
async fn measure(kind: &str, runs: usize) {
    let folder = std::env::temp_dir().join(format!("onionskin-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let folder = folder.canonicalize().expect("a folder");
    let file = folder.join("sessions.db");
    let counted = folder.clone();
    let (end, ended) = mpsc::channel::<()>();
    let counter = std::thread::spawn(move || {
        let mut most = 0;
        while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(5)) {
            most = most.max(open_files(&counted));
        }
        most
    });
    let before = peak_memory();
    let start = Instant::now();
    match kind {
        "agent" => runs_of_agent(&file, runs).await,
        _ => runs_by_hand(&file, runs).await,
    }
    let time = start.elapsed();
    let memory = peak_memory() - before;
    drop(end);
    let most = counter.join().expect("a count");
    // Tasks end the leases, and then the file is closed.
    while open_files(&folder) > 0 {
        tokio::task::yield_now().await;
    }
    println!("{} {memory} {most}", time.as_micros());
    std::fs::remove_dir_all(&folder).expect("a folder");
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse().expect("a number");
    if let [kind, runs] = &arguments[..] {
        return measure(kind, number(runs));
    }
    let runs: usize = arguments.first().map_or(1_000, number);
    let program = std::env::current_exe().expect("this program");
    let mut lowest = [[u64::MAX; 3]; 2];
    // By turns, so that both meet the same machine.
    for _ in 0..ROUNDS {
        for (kind, lowest) in ["agent", "hand"].into_iter().zip(&mut lowest) {
            let output = Command::new(&program).args([kind, &runs.to_string()]).output().expect("a process");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8(output.stdout).expect("a text");
            for (value, lowest) in text.split_whitespace().zip(lowest) {
                *lowest = (*lowest).min(value.parse().expect("a number"));
            }
        }
    }
    let [agent, hand] = lowest;
    for (name, [micros, memory, files]) in [("agent", agent), ("by hand", hand)] {
        println!("{runs} runs, {name}: {:.1} ms, {memory} kB, {files} files", micros as f64 / 1e3);
    }
    println!(
        "agent / by hand: time {:.2} x, memory {:.2} x",
        agent[0] as f64 / hand[0] as f64,
        agent[1] as f64 / hand[1].max(1) as f64
    );
}
