//! What a thousand cards cost, beside reading their files: `cargo test -p onionskin-loader --test thousand -- --nocapture` prints it.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use onionskin::loader::{CardLoader, Registry};
use onionskin::{App, ScriptedModel, tool};

const CARDS: usize = 1_000;

/// Adds one to a number.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn registry() -> Registry {
    Registry::new().file("tools.rs", |items| items.tool::<add_one>())
}

fn card(at: usize, text: &str) -> String {
    // Ten agents each have nine children.
    let children: Vec<String> = if at.is_multiple_of(10) {
        (at + 1..at + 10).map(|child| format!("agent{child}")).collect()
    } else {
        Vec::new()
    };
    format!(
        "---\ndescription: Agent {at}.\nfunction_tools: [tools.rs:add_one]\nagents: [{}]\ndefault: {}\nlimits: {{ turns: 5 }}\n\
         tool_hooks: [\"::onionskin::hooks::log\"]\n---\n{text} You do sums, and you say how you did them.\n",
        children.join(", "),
        at == 0,
    )
}

fn file(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("agent{at}.md"))
}

/// Writes a card that nobody has changed for a minute.
fn write(file: &Path, text: &str, age: u64) {
    fs::write(file, text).unwrap();
    let file = File::options().append(true).open(file).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
}

/// The lowest time of several: what else runs on the machine only ever adds to it.
fn lowest(mut run: impl FnMut(usize)) -> Duration {
    let times = (0..7).map(|round| {
        let start = Instant::now();
        run(round);
        start.elapsed()
    });
    times.min().unwrap()
}

#[test]
fn c3_a_thousand_cards_are_loaded_in_a_second_and_one_of_them_again_in_twenty_milliseconds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for at in 0..CARDS {
        write(&file(folder, at), &card(at, "First."), 60);
    }
    let read = lowest(|_| {
        let bytes: usize = (0..CARDS).map(|at| fs::read(file(folder, at)).unwrap().len()).sum();
        assert!(bytes > CARDS * 100);
    });
    let loader = CardLoader::new(registry()).base(folder);
    let load = lowest(|_| assert_eq!(loader.load(["."]).unwrap().agents().len(), CARDS));

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // An app of one agent, so that the agents are loaded and not all of them built.
    let watch = loader.watch(["."], |cards| {
        App::builder().dyn_agent(cards.agent("agent500").unwrap()).model(ScriptedModel::turns([]))
    });
    let cards = runtime.block_on(watch.start()).unwrap();
    let mut reload = Duration::MAX;
    for round in 0..15 {
        write(&file(folder, 500), &card(500, &format!("Round {round}.")), 59 - round);
        let start = Instant::now();
        let app = runtime.block_on(cards.app());
        reload = reload.min(start.elapsed());
        let prompt = runtime.block_on(app.entry().system_prompt()).unwrap().unwrap();
        assert!(prompt.contains(&format!("Round {round}.")), "{prompt}");
    }
    let unchanged = lowest(|_| drop(runtime.block_on(cards.app())));

    let beside = |time: Duration| format!("{time:?}, {:.2} x", time.as_secs_f64() / read.as_secs_f64());
    println!("reading {CARDS} files: {read:?}");
    println!("loading them: {}", beside(load));
    println!("loading one of them again: {}", beside(reload));
    println!("seeing that none has changed: {}", beside(unchanged));
    assert!(load < Duration::from_secs(1), "{load:?}");
    // Code that the compiler did not optimise takes several times as long.
    let most = Duration::from_millis(if cfg!(debug_assertions) { 80 } else { 20 });
    assert!(reload < most, "{reload:?}");
}
