//! An office that asks a person, and survives a crash while it waits.
//!
//! ```text
//! cargo run -p onionskin-examples --bin paused [-- FOLDER [--answer TOOL=JSON]..]
//! ```
//!
//! The office pays a bill, sends a parcel and orders shoes. The first two need approval, and the third asks for the size. Without
//! answers the run pauses: the program prints the open questions and ends. Run it again with some answers, such as
//! `--answer pay='"allow"' --answer order=41`; what was done is not done again. The journal, the paused run and what was done are
//! files in FOLDER. A script plays the model's part.

#![allow(clippy::needless_pass_by_value, reason = "tools take injected values by value")]

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onionskin::question::{Answer, AskError, Paused, Question, QuestionKind};
use onionskin::run::IdempotencyKey;
use onionskin::{Provided, RunError, RunOutput, ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
use onionskin_third_party::FileJournal;
use serde_json::{Value, json};

const RUN: &str = "office-1";

/// What was done: a line in a file for each.
pub(crate) struct Done(pub(crate) Mutex<File>);

impl Done {
    fn write(&self, what: &str, key: &IdempotencyKey) -> std::io::Result<()> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{what}\t{}\n", key.as_str()).as_bytes())?;
        file.sync_data()
    }
}

/// Pays a bill.
#[tool(approval, effect = idempotent)]
fn pay(cents: u32, done: Provided<Done>, key: IdempotencyKey) -> Result<String, std::io::Error> {
    done.write("pay", &key)?;
    Ok(format!("paid {cents}"))
}

/// Sends a parcel.
#[tool(approval, effect = once)]
fn send(to: &str, done: Provided<Done>, key: IdempotencyKey) -> Result<String, std::io::Error> {
    done.write("send", &key)?;
    Ok(format!("sent to {to}"))
}

/// Orders shoes.
#[tool(asks, effect = once)]
async fn order(
    cx: &ToolContext,
    model: String,
    done: Provided<Done>,
    key: IdempotencyKey,
) -> Result<String, String> {
    let size: u8 =
        cx.ask(format!("Which size of {model}?")).await.map_err(|error: AskError| error.to_string())?;
    done.write("order", &key).map_err(|error| error.to_string())?;
    Ok(format!("ordered {model} in size {size}"))
}

/// Looks at the weather.
#[tool]
async fn look(done: Provided<Done>, key: IdempotencyKey) -> Result<String, std::io::Error> {
    tokio::time::sleep(Duration::from_millis(2)).await;
    done.write("look", &key)?;
    Ok("dry".to_owned())
}

agent! {
    pub(crate) Office {
        instruction: "Do what is asked.",
        function_tools: [pay, send, order, look],
    }
}

pub(crate) fn script() -> ScriptedModel {
    ScriptedModel::turns([
        ScriptedTurn::call("look", json!({})),
        ScriptedTurn::call("pay", json!({ "cents": 500 }))
            .and_call("send", json!({ "to": "Ada" }))
            .and_call("order", json!({ "model": "Runner" })),
        ScriptedTurn::say("{last}"),
    ])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match go_on().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn go_on() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder =
        arguments.next().map_or_else(|| std::env::temp_dir().join("onionskin-paused"), PathBuf::from);
    let mut answers = Vec::new();
    while let Some(argument) = arguments.next() {
        let answer = arguments.next().filter(|_| argument == "--answer");
        let answer = answer.as_deref().and_then(|answer| answer.split_once('='));
        let (tool, answer) = answer.ok_or("usage: paused [FOLDER [--answer TOOL=JSON]..]")?;
        answers.push((tool.to_owned(), serde_json::from_str::<Value>(answer)?));
    }

    fs::create_dir_all(&folder)?;
    let done = File::options().create(true).append(true).open(folder.join("done"))?;
    let office = Office::builder()
        .model(script())
        .provide(Done(Mutex::new(done)))
        .journal(Arc::new(FileJournal::open(folder.join("journal"))?))
        .build()
        .await?;
    let request = match fs::read(folder.join("paused.json")) {
        Ok(stored) => {
            let paused: Paused = serde_json::from_slice(&stored)?;
            let mut resumed = office.resume(&paused);
            for (tool, value) in answers {
                if let Some(question) =
                    paused.questions().iter().find(|question| question.tool_name() == tool)
                {
                    resumed = resumed.answer(question.key(), answer_to(question, value)?);
                }
            }
            resumed
        }
        Err(_) => office.request("Pay the bill, send the parcel, order shoes.").run_id(RUN),
    };
    show(&folder, request.run().await)
}

fn answer_to(question: &Question, value: Value) -> Result<Answer, serde_json::Error> {
    Ok(match question.kind() {
        QuestionKind::Approval => Answer::Approval(serde_json::from_value(value)?),
        _ => Answer::Value(value),
    })
}

fn show(folder: &Path, end: Result<RunOutput, RunError>) -> Result<(), Box<dyn Error>> {
    match end {
        Ok(output) => {
            for call in &output.tool_calls {
                println!("{}: {}", call.tool, call.to_text());
            }
            println!("--- the end");
            Ok(())
        }
        Err(RunError::Paused(paused)) => {
            // Written beside it and moved, so that a crash leaves a whole file.
            fs::write(folder.join("paused.new"), serde_json::to_vec(&paused)?)?;
            fs::rename(folder.join("paused.new"), folder.join("paused.json"))?;
            for question in paused.questions() {
                let text = question.text().unwrap_or("may it run?");
                println!("open: {} {}: {text}", question.tool_name(), question.arguments());
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
