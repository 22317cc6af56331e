//! An order desk whose runs survive a crash.
//!
//! ```text
//! cargo run -p onionskin-examples --bin durable [-- [FOLDER] [--order ID] [--moments] [--kill-at MOMENT]]
//! ```
//!
//! The desk looks up prices, charges a customer, reserves an article and sends a courier, each of which is a tool with its
//! `effect`. Its journal and the requests that it made are files in FOLDER, or in a temporary one. Run it again: it does
//! nothing again. `--kill-at` kills it with `kill -9` at one of the moments that `--moments` lists; the next start goes on
//! from there. A script plays the model's part.

mod desk;
mod moments;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use onionskin::ErrorKind;
use onionskin::event::CallOutcome;
use onionskin_third_party::FileJournal;

use desk::{Desk, Sales, Shop, Vans, World, script};
use moments::{Momentary, Moments};

const USAGE: &str = "\
usage: durable [FOLDER] [--order ID] [--moments] [--kill-at MOMENT]
  FOLDER             where the journal and the requests are; default: a temporary folder
  --order ID         which order: the id of the run; default: order-7
  --moments          print the moments at which the program could die
  --kill-at MOMENT   die at one of them, as by `kill -9`";

struct Options {
    folder: PathBuf,
    order: String,
    moments: Moments,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut folder = None;
        let (mut order, mut moments) = ("order-7".to_owned(), Moments::default());
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
            match &*argument {
                "--help" | "-h" => return Err(USAGE.to_owned()),
                "--order" => order = value()?,
                "--moments" => moments.shown = true,
                "--kill-at" => moments.kill_at = Some(value()?),
                _ if argument.starts_with('-') || folder.is_some() => {
                    return Err(format!("unknown option {argument}\n{USAGE}"));
                }
                _ => folder = Some(argument.into()),
            }
        }
        let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("onionskin-durable"));
        Ok(Self { folder, order, moments })
    }
}

// One thread, so that each moment is a moment of the whole program.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let run = match Options::read(std::env::args().skip(1)) {
        Ok(options) => serve(options).await,
        Err(usage) => Err(usage.into()),
    };
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(Options { folder, order, moments }: Options) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(&folder)?;
    let journal = FileJournal::open(folder.join("journal"))?;
    let world = World::open(&folder.join("requests"), moments.clone())?;
    match journal.steps_of(&order) {
        0 => println!("{order} begins, in {}", folder.display()),
        steps => {
            println!("{order} continues an earlier run: {steps} steps are on file in {}", folder.display());
        }
    }

    let desk = Desk::builder()
        .model(script())
        .state(Sales::default())
        .toolbox(Shop(world.clone()))
        .toolbox(Vans(world))
        .journal(Momentary { journal, moments: moments.clone() })
        .build()
        .await?;
    let session = desk.session();
    let request = desk.request("Ada wants a lamp, and asks what a chair costs.").session(&session);
    let output = request.run_id(order.as_str()).run().await?;

    if let Some(moment) = moments.kill_at {
        eprintln!("this run had no moment `{moment}`; `--moments` lists those that it has");
    }
    for call in &output.tool_calls {
        println!("{} calls {} {}", call.agent, call.tool, call.arguments);
        println!("     = {}", call.to_text());
    }
    println!("--- answer ---\n{}", output.text);
    println!("--- {} turns, {} tokens", output.turns, output.usage.total());
    if let Some(sales) = session.typed_state::<Sales>() {
        println!("--- sales: {}", serde_json::to_string(&*sales)?);
    }
    let in_doubt = Some(CallOutcome::Error(ErrorKind::InDoubt));
    for call in output.tool_calls.iter().filter(|call| call.outcome == in_doubt) {
        // The bank knows the call by its idempotency key: the id of the run, and the step.
        println!(
            "A person has to look: was {} {} done? Its key: {order}/{}",
            call.tool, call.arguments, call.step
        );
    }
    Ok(())
}
