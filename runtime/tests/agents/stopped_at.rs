//! O5: a journal that stops at one step: the run can still be ended, and the next one goes on where it was.

use std::sync::Arc;
use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::journal::{Journal, JournalError, MemoryJournal, Step, StepWork};
use onionskin::run_hooks::RunAnswer;
use onionskin::{
    AgentHandle, CancellationToken, RunError, ScriptedModel, ScriptedTurn, SessionState, State, ToolOutput,
    agent, guardrail, run_hook, tool, tool_hook,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::cut::StepResult;

const SOON: Duration = Duration::from_mins(10);

/// What the journal does at its step.
#[derive(Clone, Copy)]
enum Stop {
    Hangs,
    Fails,
}

/// Records nothing at the step of this name.
struct StopsAt {
    journal: Arc<MemoryJournal>,
    step: &'static str,
    stop: Stop,
    reached: Arc<Notify>,
}

impl Journal for StopsAt {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        Box::pin(async move {
            if step.id().to_string() == self.step {
                self.reached.notify_one();
                return match self.stop {
                    Stop::Hangs => std::future::pending().await,
                    Stop::Fails => Err(JournalError::storage(step, "the disk is full")),
                };
            }
            self.journal.step(step, work).await
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sum {
    n: i64,
    seen: u32,
}

/// Does nothing.
#[tool(effect = pure)]
fn nothing() {}

/// Counts by what it reads.
#[tool_hook]
fn counts(session: &SessionState) {
    let count = session.get("count").and_then(|count| count.as_i64()).unwrap_or(0);
    session.set("count", count + 1);
}

/// Adds, after a while.
#[tool(effect = once)]
async fn add(by: i64, wait: u64, sum: State<Sum>) -> i64 {
    tokio::time::sleep(Duration::from_millis(wait)).await;
    sum.update(|sum| {
        sum.n += by;
        sum.n
    })
}

/// Says what it reads, and counts.
#[guardrail(output)]
fn says(output: &mut ToolOutput, sum: State<Sum>) {
    output.push_text(format!(" n={}", sum.latest().n));
    sum.update(|sum| sum.seen += 1);
}

/// Reads the state behind the last step of the run.
#[run_hook(post)]
fn report(answer: &mut RunAnswer, sum: State<Sum>) {
    answer.set_text(format!("{} {}", answer.text(), sum.n));
}

agent! {
    Counting { instruction: "Count.", function_tools: [nothing], tool_hooks: [counts] }
    Adding { instruction: "Add.", state: Sum, function_tools: [add], output_guardrails: [says] }
    Telling { instruction: "Tell.", state: Sum, run_hooks: [report] }
}

/// The last step of `Telling`.
const TOLD: &str = "turn 1/states after model";

/// Ends a run whose journal stops behind its last step: by its limit of time, or else the run is cancelled.
async fn end_run(stop: Stop, time: Option<Duration>) -> Result<String, RunError> {
    let mut limits = Limits::default();
    limits.time = time;
    let token = CancellationToken::new();
    let (journal, reached) = (Arc::default(), Arc::default());
    let telling = Telling::builder()
        .model(ScriptedModel::turns([ScriptedTurn::say("told")]))
        .state(Sum::default())
        .limits(limits)
        .journal(StopsAt { journal, step: TOLD, stop, reached: Arc::clone(&reached) })
        .build()
        .await
        .unwrap();
    let run = telling.request("go").cancellation(token.clone()).run();
    let cancel = async {
        reached.notified().await;
        if time.is_none() && matches!(stop, Stop::Hangs) {
            token.cancel();
        }
    };
    let (end, ()) = tokio::join!(timeout(SOON, run), cancel);
    end.expect("it does not hang").map(|output| output.text)
}

#[tokio::test(start_paused = true)]
async fn a7_a_journal_that_hangs_or_fails_behind_the_last_step_does_not_hold_the_run() {
    let cancelled = end_run(Stop::Hangs, None).await;
    assert!(matches!(&cancelled, Err(RunError::Cancelled { .. })), "{cancelled:?}");
    let late = end_run(Stop::Hangs, Some(Duration::from_secs(5))).await;
    assert!(matches!(&late, Err(RunError::Limit { .. })), "{late:?}");
    let failed = end_run(Stop::Fails, None).await;
    assert!(matches!(&failed, Err(RunError::Journal { .. })), "{failed:?}");
}

/// What a run leaves: its answer, the typed state, the session's values.
type Left = (String, Option<Sum>, Value);

/// Runs the agent until a step, as a process that dies there; then three times to the end: what each of these leaves.
async fn goes_on(build: impl AsyncFn(StopsAt) -> AgentHandle, stops_at: &'static str) -> Vec<Left> {
    let journal = Arc::new(MemoryJournal::default());
    let mut ends = Vec::new();
    for round in 0..4 {
        let reached = Arc::new(Notify::new());
        let agent = build(StopsAt {
            journal: Arc::clone(&journal),
            step: if round == 0 { stops_at } else { "" },
            stop: Stop::Hangs,
            reached: Arc::clone(&reached),
        });
        let agent = agent.await;
        let session = agent.session();
        let dies = async {
            reached.notified().await;
            // The other calls of the turn go on meanwhile.
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        tokio::select! {
            biased;
            () = dies => assert_eq!(round, 0),
            output = agent.request("go").session(&session).run_id("run").run() => {
                assert_ne!(round, 0, "the step was not reached");
                let sum = session.typed_state::<Sum>().map(|sum| Sum::clone(&sum));
                ends.push((output.unwrap().text, sum, session.state().to_value()));
            }
        }
    }
    ends
}

#[tokio::test(start_paused = true)]
async fn o5_a_change_that_is_made_again_keeps_its_place_before_those_on_record() {
    let build = async |journal| {
        let turn = ScriptedTurn::call("nothing", json!({}))
            .and_call("nothing", json!({}))
            .and_call("nothing", json!({}));
        let model = ScriptedModel::turns([turn, ScriptedTurn::say("done")]);
        Counting::builder().model(model).journal(journal).build().await.unwrap()
    };
    for _ in 0..20 {
        for (_, _, values) in goes_on(build, "turn 1/call 1/states before tool nothing").await {
            assert_eq!(values, json!({ "count": 3 }));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn o5_a_run_that_died_while_it_noted_its_first_read_can_go_on() {
    let build = async |journal| {
        let add = |by: i64, wait: u64| json!({ "by": by, "wait": wait });
        let turn =
            ScriptedTurn::call("add", add(0, 3)).and_call("add", add(1, 1)).and_call("add", add(10, 5));
        let model = ScriptedModel::turns([turn, ScriptedTurn::say("{last}")]);
        Adding::builder().model(model).state(Sum::default()).journal(journal).build().await.unwrap()
    };
    let ends = goes_on(build, "turn 0/states").await;
    assert_eq!(ends[0].1, Some(Sum { n: 11, seen: 3 }));
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:#?}");
}
