//! What the loop costs: a run of an agent against the same turns and calls by hand, and the loops of two other crates.
//!
//! `loop` measures all cases and prints a table. `loop run LOOP TURNS CALLS COUNT` makes that many runs of one loop, for a
//! profiler, `loop beside LOOP` a thousand side by side; `loop list` prints the names of the loops.

#[cfg(feature = "loops")]
mod adk;
mod answers;
mod by_hand;
mod ours;
#[cfg(feature = "loops")]
mod rig;

use std::pin::Pin;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use answers::Shape;

/// One way to run the loop.
struct Loop {
    name: &'static str,
    about: &'static str,
    /// Makes what can be run again and again; its time is not counted.
    make: fn(Shape) -> Prepared,
}

/// Runs from the first message to the answer.
type Prepared = Rc<dyn Fn() -> Pin<Box<dyn Future<Output = ()>>>>;

/// The cases of the table.
const SHAPES: [Shape; 4] = [
    Shape { turns: 1, calls: 1, yields: false },
    Shape { turns: 10, calls: 4, yields: false },
    Shape { turns: 100, calls: 1, yields: false },
    Shape { turns: 1000, calls: 4, yields: false },
];

/// The shape of concurrent runs, and their number.
const SIDE_BY_SIDE: (Shape, usize) = (Shape { turns: 10, calls: 4, yields: true }, 1000);

/// The rounds of a case; the lowest counts.
const ROUNDS: usize = 15;

/// A loop that took so long in a case has no further round of it.
const ENOUGH: Duration = Duration::from_secs(5);

/// So many turns make a round, in as many runs as that takes.
const TURNS_A_ROUND: usize = 4000;

fn loops() -> Vec<Loop> {
    vec![
        by_hand::LOOP,
        ours::LOOP,
        #[cfg(feature = "loops")]
        rig::LOOP,
        #[cfg(feature = "loops")]
        adk::LOOP,
    ]
}

fn main() -> ExitCode {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            one_after_the_other(&runtime);
            side_by_side(&runtime);
        }
        ["beside"] => side_by_side(&runtime),
        ["list"] => loops().iter().for_each(|one| println!("{}", one.name)),
        ["run", name, turns, calls, count] => {
            let one = loops().into_iter().find(|one| one.name == name);
            let (Some(one), Ok(turns), Ok(calls), Ok(count)) =
                (one, turns.parse(), calls.parse(), count.parse())
            else {
                eprintln!("no loop `{name}` (`loop list` names them), or an argument is not a number");
                return ExitCode::FAILURE;
            };
            repeat(&runtime, &prepare(&runtime, &one, Shape { turns, calls, yields: false }), count);
        }
        ["beside", name] => {
            let Some(one) = loops().into_iter().find(|one| one.name == name) else {
                eprintln!("no loop `{name}` (`loop list` names them)");
                return ExitCode::FAILURE;
            };
            all_at_once(&runtime, &prepare(&runtime, &one, SIDE_BY_SIDE.0));
        }
        _ => {
            eprintln!("usage: loop [list | run LOOP TURNS CALLS COUNT | beside [LOOP]]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Some loops ask for a runtime when they are set up.
fn prepare(runtime: &Runtime, one: &Loop, shape: Shape) -> Prepared {
    let _inside = runtime.enter();
    (one.make)(shape)
}

fn repeat(runtime: &Runtime, run: &Prepared, count: usize) {
    runtime.block_on(async {
        for _ in 0..count {
            run().await;
        }
    });
}

fn one_after_the_other(runtime: &Runtime) {
    println!("| loop | what | turns x calls | us a turn | x by hand | allocations a turn | bytes a turn |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    let loops = loops();
    for shape in SHAPES {
        let runs = (TURNS_A_ROUND / shape.turns).max(1);
        let turns = (runs * shape.turns) as f64;
        let prepared: Vec<_> = loops.iter().map(|one| prepare(runtime, one, shape)).collect();
        let mut lowest = vec![f64::MAX; loops.len()];
        let mut spent = vec![Duration::ZERO; loops.len()];
        // Interleaved, so that what disturbs the machine disturbs all of them.
        for _ in 0..ROUNDS {
            for ((run, lowest), spent) in prepared.iter().zip(&mut lowest).zip(&mut spent) {
                if *spent > ENOUGH {
                    continue;
                }
                let start = Instant::now();
                repeat(runtime, run, runs);
                let time = start.elapsed();
                *spent += time;
                *lowest = lowest.min(time.as_secs_f64() * 1e6 / turns);
            }
        }
        for ((one, run), time) in loops.iter().zip(&prepared).zip(&lowest) {
            let (count, bytes) = allocations(|| repeat(runtime, run, 1));
            println!(
                "| {} | {} | {} x {} | {time:.2} | {:.2} | {:.1} | {:.0} |",
                one.name,
                one.about,
                shape.turns,
                shape.calls,
                time / lowest[0],
                count as f64 / shape.turns as f64,
                bytes as f64 / shape.turns as f64,
            );
        }
    }
}

/// All runs begin before any continues: a run waits for the model once in each turn.
fn side_by_side(runtime: &Runtime) {
    let (shape, runs) = SIDE_BY_SIDE;
    let loops = loops();
    println!("\n{runs} runs of {} x {} calls side by side\n", shape.turns, shape.calls);
    println!("| loop | ms | x by hand | peak bytes a run |");
    println!("|---|---:|---:|---:|");
    let prepared: Vec<_> = loops.iter().map(|one| prepare(runtime, one, shape)).collect();
    let mut spent = vec![Duration::ZERO; loops.len()];
    let mut lowest = vec![f64::MAX; loops.len()];
    for _ in 0..ROUNDS {
        for ((run, lowest), spent) in prepared.iter().zip(&mut lowest).zip(&mut spent) {
            if *spent > ENOUGH {
                continue;
            }
            let start = Instant::now();
            all_at_once(runtime, run);
            let time = start.elapsed();
            *spent += time;
            *lowest = lowest.min(time.as_secs_f64() * 1e3);
        }
    }
    for ((one, run), time) in loops.iter().zip(&prepared).zip(&lowest) {
        let peak = peak_bytes(|| all_at_once(runtime, run)) / runs as u64;
        println!("| {} | {time:.1} | {:.2} | {peak} |", one.name, time / lowest[0]);
    }
}

fn all_at_once(runtime: &Runtime, run: &Prepared) {
    let local = tokio::task::LocalSet::new();
    local.block_on(runtime, async {
        let runs: Vec<_> = (0..SIDE_BY_SIDE.1).map(|_| tokio::task::spawn_local(run())).collect();
        for run in runs {
            run.await.expect("the run ends");
        }
    });
}

/// The heap allocations of some work, and the bytes that they asked for.
#[cfg(feature = "allocations")]
fn allocations(work: impl FnOnce()) -> (u64, u64) {
    let counted = allocation_counter::measure(work);
    (counted.count_total, counted.bytes_total)
}

#[cfg(feature = "allocations")]
fn peak_bytes(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).bytes_max
}

#[cfg(not(feature = "allocations"))]
fn allocations(_: impl FnOnce()) -> (u64, u64) {
    (0, 0)
}

#[cfg(not(feature = "allocations"))]
fn peak_bytes(_: impl FnOnce()) -> u64 {
    0
}
