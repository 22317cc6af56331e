//! What a tool call costs: the direct call, ours with and without hooks, the same hooks nested by hand,
//! and other crates, in one program.
//!
//! `bench` measures all cases and prints a table. `bench case NAME COUNT` makes that many calls of one case,
//! for a profiler. `bench list` prints the names.

mod cases;
mod measure;

use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use cases::Case;

fn main() -> ExitCode {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    // Some peers start a service when they are set up.
    let cases = {
        let _inside = runtime.enter();
        cases::all()
    };
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => table(&runtime, &cases),
        ["list"] => cases.iter().for_each(|case| println!("{}", case.name)),
        ["case", name, count] => {
            let case = cases.iter().find(|case| case.name == name);
            let (Some(case), Ok(count)) = (case, count.parse()) else {
                eprintln!("no case `{name}` (`bench list` names them), or `{count}` is not a number");
                return ExitCode::FAILURE;
            };
            runtime.block_on((case.run)(count));
        }
        _ => {
            eprintln!("usage: bench [list | case NAME COUNT]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn table(runtime: &Runtime, cases: &[Case]) {
    let costs = measure::measure(runtime, cases);
    let (median, lowest) = (costs[0].median, costs[0].lowest);
    println!("| case | what | median ns | x direct | lowest ns | x direct | allocations | bytes |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    for (Case { name, about, .. }, cost) in cases.iter().zip(&costs) {
        let (allocations, bytes) = match cost.allocations {
            Some((count, bytes)) => (format!("{count:.0}"), format!("{bytes:.0}")),
            None => ("-".to_owned(), "-".to_owned()),
        };
        println!(
            "| {name} | {about} | {:.0} | {:.2} | {:.0} | {:.2} | {allocations} | {bytes} |",
            cost.median,
            cost.median / median,
            cost.lowest,
            cost.lowest / lowest,
        );
    }
}
