//! The readers of a run's events: one that reads all, a slow one, one that stops, and none.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use onionskin::event::{EventKind, RunOutput};
use onionskin::{Progress, RunError, ScriptedModel, ScriptedTurn, Session, State, agent, tool};
use proptest::prelude::*;
use serde_json::json;

use super::script::{Script, on_a_paused_clock, script};

/// What a run gave, without times. Retries wait for a random time, so calls of children side by side are in the order of their steps.
#[derive(Debug, PartialEq)]
struct Outcome {
    output: Result<RunOutput, String>,
    history: String,
}

impl Outcome {
    fn new(output: Result<RunOutput, RunError>, session: &Session) -> Self {
        let untimed = |mut output: RunOutput| {
            output.tool_calls.iter_mut().for_each(|call| call.duration = Duration::ZERO);
            output.tool_calls.sort_by_key(|call| call.step.to_string());
            output
        };
        let output = output.map(untimed).map_err(|error| error.to_string());
        Self { output, history: format!("{:?}", session.history()) }
    }
}

/// Runs the script, and reads so many events before it asks for the output; a pause after each event.
async fn read(script: &Script, events: usize, pause: Option<Duration>) -> Outcome {
    let (agent, open) = script.agent().await;
    let session = agent.session();
    let mut stream = agent.request("go").session(&session).run_id("run").stream();
    for _ in 0..events {
        if stream.next().await.is_none() {
            break;
        }
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }
    let given = Outcome::new(stream.output().await, &session);
    assert_eq!(open.count(), 0);
    given
}

proptest! {
    #[test]
    fn a8_what_a_run_gives_is_the_same_for_each_reader(script in script(), some in 0usize..40) {
        on_a_paused_clock(async {
            let collected = {
                let (agent, _) = script.agent().await;
                let session = agent.session();
                Outcome::new(agent.request("go").session(&session).run_id("run").run().await, &session)
            };
            assert_eq!(read(&script, usize::MAX, None).await, collected, "read to the end");
            assert_eq!(read(&script, some, None).await, collected, "read in part");
            let slow = Some(Duration::from_secs(5));
            assert_eq!(read(&script, usize::MAX, slow).await, collected, "read slowly");
        });
    }

    #[test]
    fn a8_a_reader_that_leaves_ends_the_run_and_frees_its_session(script in script(), some in 0usize..40) {
        on_a_paused_clock(async {
            let (agent, open) = script.agent().await;
            let session = agent.session();
            let mut stream = agent.request("go").session(&session).stream();
            for _ in 0..some {
                stream.next().await;
            }
            drop(stream);
            // Calls that were cancelled end in tasks of their own.
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(open.count(), 0, "no call is left");
            let late = tokio::time::timeout(Duration::from_mins(10), agent.request("go").session(&session).run()).await;
            assert!(late.is_ok(), "the session is free");
        });
    }
}

const REPORTS: u32 = 50_000;

/// Counts, and reports each number.
#[tool(blocking)]
fn count(progress: Progress, counted: State<Counted>) -> u32 {
    for number in 1..=REPORTS {
        progress.report(number.into(), None, None);
    }
    counted.sender.send(()).unwrap();
    REPORTS
}

#[derive(Clone)]
struct Counted {
    sender: Sender<()>,
}

agent! {
    Counter { instruction: "Count.", state: Counted, function_tools: [count] }
}

#[tokio::test]
async fn a8_the_progress_of_a_thread_does_not_pile_up_before_a_slow_reader() {
    let (sender, counted) = channel();
    let model = ScriptedModel::turns([ScriptedTurn::call("count", json!({})), ScriptedTurn::say("Done.")]);
    let counter = Counter::builder().state(Counted { sender }).model(model).build().await.unwrap();
    let mut stream = counter.stream("go");
    let mut reports = Vec::new();
    while let Some(event) = stream.next().await {
        match event.kind {
            // The thread has begun, and goes on while the reader does something else.
            EventKind::Progress { done, .. } if reports.is_empty() => {
                counted.recv().unwrap();
                reports.push(done);
            }
            EventKind::Progress { done, .. } => reports.push(done),
            _ => {}
        }
    }
    assert!(reports.len() < 2000, "{}", reports.len());
    assert!(reports.is_sorted() && reports.last() == Some(&f64::from(REPORTS)), "the newest is there");
    assert_eq!(stream.output().await.unwrap().text, "Done.");
}
