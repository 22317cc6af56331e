//! O5: the program `durable`, killed with `kill -9` at each moment of its run and continued in another process.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use onionskin_third_party::FileJournal;
use serde_json::Value;

const REPLAYS: &str = include_str!("../../docs/book/src/concepts/replays.md");
const JOURNAL: &str = include_str!("../../docs/book/src/reference/journal.md");
const ORDER: &str = "order-7";

/// The scope of the courier's steps.
macro_rules! courier {
    () => {
        "turn 2/call 3/tool agent__courier/"
    };
}

/// The requests to the world outside, each with the effect of its tool, the step of its call and the text of its result.
const REQUESTS: [(&str, &str, &str, &str); 7] = [
    ("price of lamp", "pure", "turn 1/call 1/tool price", "5000"),
    ("price of chair", "pure", "turn 1/call 2/tool price", "6250"),
    ("charge Ada", "once", "turn 2/call 1/tool charge", "Ada paid 11250 cents [receipt]"),
    ("reserve lamp", "idempotent", "turn 2/call 2/tool reserve", "the lamp is reserved [receipt]"),
    ("van on Monday", "pure", concat!(courier!(), "turn 1/call 1/tool find_van"), "van 4 is free on Monday"),
    ("book van 4", "idempotent", concat!(courier!(), "turn 2/call 1/tool book_van"), "van 4 is booked"),
    (
        "text Ada",
        "once",
        concat!(courier!(), "turn 2/call 2/tool text_customer"),
        "Ada was told: Your lamp comes on Monday.",
    ),
];

/// What the `once` tools change in the state, and the state without it.
const CHANGES: [(&str, &str, &str); 2] =
    [("charge", "\"paid_cents\":11250", "\"paid_cents\":0"), ("text_customer", "\"texts\":1", "\"texts\":0")];

/// The step that records the start of a `once` function.
fn begin(step: &str) -> String {
    let (call, tool) = step.rsplit_once("/tool ").unwrap();
    format!("{call}/begin {tool}")
}

fn tool(step: &str) -> &str {
    step.rsplit_once("/tool ").unwrap().1
}

/// How a process is killed.
enum Death<'a> {
    At(&'a str),
    After(Duration),
}

/// What a process wrote, and whether it was killed.
struct Ended {
    moments: Vec<String>,
    shown: Vec<String>,
    killed: bool,
}

/// The data on the disk.
#[derive(Clone, Default)]
struct Disk {
    /// What was asked, and its idempotency key.
    requests: Vec<(String, String)>,
    /// The recorded steps.
    steps: BTreeSet<String>,
}

/// One order: a folder, and the processes that worked in it. The folder is removed with it.
struct Order {
    folder: PathBuf,
    /// `once` calls that a process left in doubt.
    doubts: BTreeSet<&'static str>,
    deaths: Vec<String>,
}

impl Drop for Order {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Order {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("onionskin-durable-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        Self { folder, doubts: BTreeSet::new(), deaths: Vec::new() }
    }

    fn disk(&self) -> Disk {
        let text = |file| fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        let requests = text("requests");
        let requests = requests.lines().map(|line| {
            let (what, key) = line.split_once('\t').unwrap();
            (what.to_owned(), key.to_owned())
        });
        let journal = text("journal");
        let lines: Vec<_> = journal.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        let steps: BTreeSet<_> = lines
            .iter()
            .map(|line| serde_json::from_str::<(String, String, Value)>(line).unwrap().1)
            .collect();
        assert_eq!(steps.len(), lines.len(), "a step is recorded twice\n{journal}");
        Disk { requests: requests.collect(), steps }
    }

    /// Starts the program in a process of its own, and kills it.
    fn start(&mut self, death: Option<&Death>) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_durable"));
        command.arg(&self.folder).args(["--order", ORDER, "--moments"]);
        if let Some(Death::At(moment)) = death {
            command.args(["--kill-at", moment]);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(Death::After(delay)) = death {
            thread::sleep(*delay);
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let killed = output.status.signal() == Some(9);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(killed || output.status.success(), "{:?}: {errors}", self.deaths);
        let (moments, shown) = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .partition::<Vec<_>, _>(|line| line.starts_with("moment: "));
        let moments: Vec<_> = moments.iter().map(|line| line["moment: ".len()..].to_owned()).collect();
        if killed {
            self.deaths.push(match death {
                Some(Death::At(moment)) => (*moment).to_owned(),
                _ => format!("after {:?}", moments.last()),
            });
        }
        Ended { moments, shown, killed }
    }

    /// As [`Self::start`], and checks what the process repeated of the steps on the disk.
    fn go_on(&mut self, death: Option<&Death>) -> Ended {
        let before = self.disk();
        for (_, effect, step, _) in REQUESTS {
            if effect == "once" && before.steps.contains(&begin(step)) && !before.steps.contains(step) {
                self.doubts.insert(step);
            }
        }
        let ended = self.start(death);
        let after = self.disk();
        let deaths = &self.deaths;
        assert!(after.steps.is_superset(&before.steps), "{deaths:?}: a record is lost");
        for moment in &ended.moments {
            if let Some(step) = moment.strip_prefix("before the record of ") {
                assert!(!before.steps.contains(step), "{deaths:?}: {step} is on record, and was repeated");
            }
        }
        assert_eq!(after.requests[..before.requests.len()], before.requests, "{deaths:?}");
        for (what, key) in &after.requests[before.requests.len()..] {
            let (_, _, step, _) = REQUESTS.iter().find(|(name, ..)| name == what).unwrap();
            assert_eq!(*key, format!("{ORDER}/{step}"), "{deaths:?}: the key is that of the call");
            assert!(!before.steps.contains(*step), "{deaths:?}: {what} is on record, and was repeated");
            assert!(!self.doubts.contains(*step), "{deaths:?}: {what} is in doubt, and was repeated");
        }
        let times = |(what, ..): &(&str, &str, &str, &str)| {
            after.requests.iter().filter(|(request, _)| request == what).count()
        };
        for request in REQUESTS.iter().filter(|(_, effect, ..)| *effect == "once") {
            assert!(times(request) <= 1, "{deaths:?}: {request:?}");
        }
        ended
    }

    /// The last process ended the run: checks its output, and that one more process repeats nothing.
    fn check_end(&mut self, ended: &Ended, uninterrupted: &[String]) {
        let deaths = format!("{:?}", self.deaths);
        assert!(!ended.killed, "{deaths}");
        let mut expected = answer(uninterrupted).join("\n");
        for (_, _, step, result) in REQUESTS {
            if self.doubts.contains(step) {
                expected = expected.replace(result, &doubt(tool(step)));
                let (_, changed, unchanged) = CHANGES.iter().find(|(name, ..)| *name == tool(step)).unwrap();
                expected = expected.replace(changed, unchanged);
            }
        }
        let shown = answer(&ended.shown);
        let (questions, shown): (Vec<_>, Vec<_>) =
            shown.into_iter().partition(|line| line.starts_with("A person has to look"));
        assert_eq!(shown.join("\n"), expected, "{deaths}");
        assert_eq!(questions.len(), self.doubts.len(), "{deaths}: {questions:?}");
        for step in &self.doubts {
            let key = format!("Its key: {ORDER}/{step}");
            assert!(questions.iter().any(|question| question.ends_with(&key)), "{deaths}: {questions:?}");
        }

        let before = self.disk();
        for (what, _, step, _) in REQUESTS {
            let done = before.requests.iter().any(|(request, _)| request == what);
            assert!(done || self.doubts.contains(step), "{deaths}: {what} was not done");
        }
        let replay = self.go_on(None);
        let after = self.disk();
        assert_eq!(replay.shown[1..], ended.shown[1..], "{deaths}: the replay has the same output");
        assert_eq!((after.requests, after.steps), (before.requests, before.steps), "{deaths}");
    }
}

/// The error of a call in doubt, as a model and a person read it.
fn doubt(tool: &str) -> String {
    format!(
        "`{tool}` may have taken effect already: an earlier run with the id `{ORDER}` ended while the tool ran. Its \
         effect is `once`, so it was not run again. Do not call it again: a person has to find out whether it took \
         effect. If it did not, a run with another `run_id` may call it"
    )
}

/// What a run showed, but for what differs from run to run: its first line, the receipts, and the words that it took.
fn answer(shown: &[String]) -> Vec<String> {
    let lines = shown[1..].iter().filter(|line| !line.ends_with(" tokens"));
    let masked = lines.map(|line| match line.split_once(" [receipt ") {
        Some((result, _)) => format!("{result} [receipt]"),
        None => line.clone(),
    });
    masked.collect()
}

fn uninterrupted() -> (Ended, Duration) {
    let mut order = Order::new();
    let begun = Instant::now();
    let ended = order.go_on(None);
    let took = begun.elapsed();
    assert!(ended.shown[0].starts_with("order-7 begins, in "), "{:?}", ended.shown);
    order.check_end(&ended, &ended.shown);
    for (what, ..) in REQUESTS {
        assert_eq!(order.disk().requests.iter().filter(|(request, _)| request == what).count(), 1, "{what}");
    }
    (ended, took)
}

/// Runs `work` for each item, on a few threads: processes wait for their disk and their timers.
fn for_each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

/// When a process died, seen from one call.
fn row(moment: &str, (what, effect, step, _): &(&str, &str, &str, &str)) -> Option<&'static str> {
    let of = |prefix: &str, name: &str| moment.strip_prefix(prefix) == Some(name);
    let begin = begin(step);
    if of("before ", step) {
        Some("before the call")
    } else if *effect == "once" && (of("before ", &begin) || of("before the record of ", &begin)) {
        Some("before the start of the function is on record")
    } else if of("before the effect of ", what) || of("after the record of ", &begin) {
        Some("after that, before the effect")
    } else if of("after the effect of ", what) || of("before the record of ", step) {
        Some("after the effect, before the call is on record")
    } else if of("after the record of ", step) {
        Some("after the call is on record")
    } else {
        None
    }
}

/// What came of a call: how often it was done before the death and in all, and whether it is in doubt.
fn cell(before: usize, all: usize, in_doubt: bool) -> &'static str {
    match (before, all, in_doubt) {
        (0, 1, false) => "done by the next process",
        (1, 2, false) => "done again, with the same key",
        (1, 1, false) => "not done again",
        (0, 0, true) => "not done, in doubt",
        (1, 1, true) => "not done again, in doubt",
        other => panic!("{other:?}"),
    }
}

type Table = BTreeMap<(&'static str, &'static str), BTreeSet<&'static str>>;

fn markdown(table: &Table) -> String {
    let effects = ["pure", "idempotent", "once"];
    let mut text = "| the process dies | `pure` | `idempotent` | `once` |\n|---|---|---|---|\n".to_owned();
    for row in [
        "before the call",
        "before the start of the function is on record",
        "after that, before the effect",
        "after the effect, before the call is on record",
        "after the call is on record",
    ] {
        let cell = |effect| match table.get(&(row, effect)).map(|cells| cells.iter().collect::<Vec<_>>()) {
            None => "",
            Some(cells) => {
                assert_eq!(cells.len(), 1, "{row}, {effect}: {cells:?}");
                cells[0]
            }
        };
        text.push_str(&format!("| {row} | {} |\n", effects.map(cell).join(" | ")));
    }
    text
}

#[test]
fn o5_a_run_that_is_killed_at_any_moment_goes_on_in_another_process() {
    let (whole, _) = uninterrupted();
    assert!(whole.moments.len() > 60, "{:?}", whole.moments);
    let table = Mutex::new(Table::new());
    for_each(&whole.moments, |moment| {
        let mut order = Order::new();
        let first = order.go_on(Some(&Death::At(moment)));
        assert!(first.killed && first.moments.last() == Some(moment), "{moment}: {:?}", first.moments);
        let died = order.disk();
        let second = order.go_on(None);
        let greeting =
            if died.steps.is_empty() { "order-7 begins" } else { "order-7 continues an earlier run: " };
        assert!(second.shown[0].starts_with(greeting), "{moment}: {:?}", second.shown);
        order.check_end(&second, &whole.shown);
        let end = order.disk();
        for request in &REQUESTS {
            let Some(row) = row(moment, request) else { continue };
            let times = |disk: &Disk| disk.requests.iter().filter(|(what, _)| what == request.0).count();
            let cell = cell(times(&died), times(&end), order.doubts.contains(request.2));
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.entry((row, request.1)).or_default().insert(cell);
        }
    });
    let table = markdown(&table.into_inner().unwrap());
    assert!(REPLAYS.contains(&table), "the book has another table than this one:\n{table}");
}

/// Numbers that are the same for each run of the test.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

#[test]
fn o5_a_run_that_is_killed_again_and_again_goes_on_to_its_end() {
    let (whole, took) = uninterrupted();
    let deaths = AtomicUsize::new(0);
    let seeds: Vec<u64> = (1..=20).collect();
    for_each(&seeds, |&seed| {
        let (mut numbers, mut order) = (Lcg(seed), Order::new());
        let mut passed = BTreeSet::new();
        order.deaths.push(format!("seed {seed}"));
        let ended = loop {
            // Moments near ahead, so that most runs are killed several times; each run ends.
            let starts = order.deaths.len();
            let ahead: Vec<_> =
                whole.moments.iter().filter(|moment| !passed.contains(*moment)).take(25).collect();
            let moment = ahead.get(numbers.below(25)).copied().unwrap_or(&whole.moments[0]);
            let delay = Duration::from_micros(numbers.below(1000) as u64) * 50;
            let death = match numbers.below(3) {
                _ if starts > 8 => None,
                0 => Some(Death::After(delay.min(took))),
                _ => Some(Death::At(moment)),
            };
            let ended = order.go_on(death.as_ref());
            if !ended.killed {
                break ended;
            }
            passed.extend(ended.moments);
        };
        deaths.fetch_add(order.deaths.len() - 1, Ordering::Relaxed);
        order.check_end(&ended, &whole.shown);
    });
    let deaths = deaths.into_inner();
    assert!(deaths >= 40, "only {deaths} processes were killed");
}

#[test]
fn o5_two_processes_do_not_share_a_journal() {
    let order = Order::new();
    fs::create_dir_all(&order.folder).unwrap();
    let journal = FileJournal::open(order.folder.join("journal")).unwrap();
    let run = || Command::new(env!("CARGO_BIN_EXE_durable")).arg(&order.folder).output().unwrap();
    let refused = run();
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert!(
        !refused.status.success() && errors.contains("journal: another process may have it open"),
        "{errors}"
    );
    assert!(order.disk().requests.is_empty());
    drop(journal);
    // A process that another test starts at this moment has the lock too, until its own program begins.
    let begun = (0..100).any(|_| {
        run().status.success() || {
            thread::sleep(Duration::from_millis(20));
            false
        }
    });
    assert!(begun);
}

#[test]
fn o5_the_journal_in_the_book_is_the_one_that_is_tested() {
    let code = include_str!("../third_party/src/journal.rs").replace("onionskin_core", "onionskin");
    let (_, code) = code.split_once("\n\n").unwrap();
    assert!(
        JOURNAL.contains(&format!("```rust\n{code}```\n")),
        "the book has other code than examples/third_party/src/journal.rs"
    );
}
