//! Two processes with one `SQLite` file, killed with `kill -9` at random moments.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::sqlite::Sqlite;
use onionskin::{AgentHandle, State, agent, tool};
use serde::{Deserialize, Serialize};
use serde_json::json;

const SEEDS: u64 = 50;
const USERS: u64 = 8;
/// The turns of a process for each seed: 1,000 in all.
const TURNS: u64 = 10;
const PROCESSES: u64 = 2;

/// The variables of the worker: the file, its number and its seed.
const FILE: &str = "STORED_FILE";
const WORKER: &str = "STORED_WORKER";
const SEED: &str = "STORED_SEED";

#[derive(Clone, Default, Serialize, Deserialize)]
struct Tally {
    notes: u32,
}

/// Writes a word down.
#[tool]
fn note(word: String, tally: State<Tally>) -> String {
    tally.update(|tally| tally.notes += 1);
    format!("noted {word}")
}

agent! {
    Clerk { instruction: "Write down each word.", state: Tally, function_tools: [note] }
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
                let id = format!("call_{}", request.messages.len());
                let arguments = json!({ "word": message.to_text() }).to_string();
                response.tool_calls.push(ToolCall::new(id, "note", arguments));
            }
            _ => "It is written down.".clone_into(&mut response.text),
        }
        Ok(response)
    }
}

async fn clerk(file: &Path) -> AgentHandle {
    let store = Sqlite::builder().lease_time(Duration::from_millis(300)).open(file).await.unwrap();
    Clerk::builder().model(Diligent).state(Tally::default()).session_store(store).build().await.unwrap()
}

fn session_of(user: u64) -> (String, String) {
    (format!("session-{user}"), format!("user-{user}"))
}

/// Random numbers that a seed repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The process that the test below starts and kills.
#[tokio::test]
#[ignore = "a process of the test beside it"]
async fn a12_worker() {
    let Ok(file) = env::var(FILE) else { return };
    let (worker, seed) = (env::var(WORKER).unwrap(), env::var(SEED).unwrap());
    let clerk = clerk(Path::new(&file)).await;
    let mut random = Random(seed.parse().unwrap());
    for turn in 0.. {
        let (id, user) = session_of(random.below(USERS));
        let word = format!("w{worker}-{turn}");
        let session = clerk.open_session(id.as_str()).await.unwrap();
        clerk.request(word.as_str()).session(&session).user(user).run().await.unwrap();
        // The test counts the turn when it reads this line.
        println!("\ndone {id} {word}");
        std::io::stdout().flush().unwrap();
    }
}

fn start(file: &Path, worker: &str, seed: u64) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["killed::a12_worker", "--exact", "--ignored", "--nocapture"])
        .env(FILE, file)
        .env(WORKER, worker)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Runs workers one after another, each until it is killed, until they have done some turns. Returns the acknowledged
/// words, with their sessions.
fn work(file: &Path, process: u64, seed: u64) -> Vec<(String, String)> {
    let mut random = Random(seed * 1000 + process + 1);
    let (mut done, mut life) = (Vec::new(), 0);
    while (done.len() as u64) < TURNS {
        let mut child = start(file, &format!("{process}.{life}"), random.below(1 << 40) + 1);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let turns_left = 1 + random.below(TURNS / 2);
        let mut of_life = 0;
        for line in lines {
            let line = line.unwrap();
            let Some(words) = line.strip_prefix("done ") else { continue };
            let (session, word) = words.split_once(' ').unwrap();
            done.push((session.to_owned(), word.to_owned()));
            of_life += 1;
            if of_life == turns_left {
                // Somewhere in the next turn.
                thread::sleep(Duration::from_micros(random.below(4000)));
                child.kill().unwrap();
                break;
            }
        }
        child.wait().unwrap();
        life += 1;
        assert!(life < 100, "workers of seed {seed} die before they do anything");
    }
    done
}

#[test]
fn a12_nothing_is_lost_or_stored_twice_when_processes_are_killed() {
    let at_once = 2;
    let next = Arc::new(Mutex::new(1..=SEEDS));
    let threads = (0..at_once).map(|_| {
        let next = Arc::clone(&next);
        thread::spawn(move || {
            loop {
                let seed = next.lock().unwrap().next();
                let Some(seed) = seed else { return };
                one_seed(seed);
            }
        })
    });
    threads.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().unwrap());
}

fn one_seed(seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let processes = (0..PROCESSES).map(|process| {
        let file = file.clone();
        thread::spawn(move || work(&file, process, seed))
    });
    let done: Vec<_> =
        processes.collect::<Vec<_>>().into_iter().flat_map(|process| process.join().unwrap()).collect();
    let mut acknowledged: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (session, word) in done {
        acknowledged.entry(session).or_default().push(word);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let clerk = clerk(&file).await;
        for user in 0..USERS {
            let (id, owner) = session_of(user);
            check(&clerk, &id, &owner, acknowledged.remove(&id).unwrap_or_default(), seed).await;
        }
        clerk.shutdown().await;
    });
    assert!(acknowledged.is_empty());
}

async fn check(clerk: &AgentHandle, id: &str, owner: &str, acknowledged: Vec<String>, seed: u64) {
    let session = clerk.open_session(id).await.unwrap();
    let history = session.history();
    history.check().unwrap_or_else(|error| panic!("seed {seed}, {id}: {error}"));
    if !history.is_empty() {
        assert_eq!(session.user().as_deref(), Some(owner), "seed {seed}");
    }
    let texts: Vec<_> = history.iter().map(|message| message.to_text().into_owned()).collect();
    for word in acknowledged {
        let places: Vec<_> = (0..texts.len()).filter(|place| texts[*place] == word).collect();
        let [place] = places[..] else { panic!("seed {seed}, {id}: `{word}` is at {places:?} of {texts:?}") };
        assert_eq!(texts[place + 2], format!("noted {word}"), "seed {seed}, {id}");
        assert_eq!(texts[place + 3], "It is written down.", "seed {seed}, {id}");
    }
    // Each input once, also those that nobody acknowledged.
    let mut inputs: Vec<_> = texts.iter().filter(|text| text.starts_with('w')).collect();
    let all = inputs.len();
    inputs.sort();
    inputs.dedup();
    assert_eq!(inputs.len(), all, "seed {seed}, {id}: {texts:?}");
    // The state and the result of a call are stored together.
    let noted = texts.iter().filter(|text| text.starts_with("noted ")).count();
    assert_eq!(session.typed_state::<Tally>().unwrap().notes as usize, noted, "seed {seed}, {id}");
    // It goes on.
    clerk.request("wlast").session(&session).user(owner).run().await.unwrap();
    session.history().check().unwrap();
}

/// How often this process has files of a folder open.
#[cfg(target_os = "linux")]
fn open_files(folder: &Path) -> usize {
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    files
        .filter(|file| {
            std::fs::read_link(file.as_ref().unwrap().path()).is_ok_and(|to| to.starts_with(folder))
        })
        .count()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a12_a_thousand_runs_at_once_share_one_file_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    {
        let store = Sqlite::open(&file).await.unwrap();
        let builder = Clerk::builder().model(Diligent).state(Tally::default());
        let clerk = builder.session_store(store).build().await.unwrap();
        let runs = (0..1000).map(async |number| {
            let session = clerk.open_session(format!("s{number}")).await.unwrap();
            clerk.request(format!("w{number}")).session(&session).run().await.unwrap();
            session.history().len()
        });
        let lengths = futures_util::future::join_all(runs).await;
        assert!(lengths.iter().all(|length| *length == 4));
        // A connection that writes and four that read, each with the file, its log and the index of the log.
        let open = open_files(folder.path());
        assert!(open <= 15, "{open} files are open");
        let session = clerk.open_session("s7").await.unwrap();
        assert_eq!(session.history().len(), 4);
    }
    // The thread that writes ends when it has closed the file.
    let closed = async {
        while open_files(folder.path()) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), closed).await.unwrap();
}
