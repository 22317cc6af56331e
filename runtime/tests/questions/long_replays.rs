//! A7, O5: whatever calls and children run side by side, and however they read and change both states: a run that is paused, or killed
//! behind any step, goes on, does nothing twice that was recorded, and its replay is equal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::model::{Message, Model, ModelResponse, ToolCall};
use onionskin::question::{Answer, Paused};
use onionskin::run::IdempotencyKey;
use onionskin::{
    AgentHandle, Args, Next, Provided, RunError, SessionState, State, ToolContext, ToolOutput, ToolResult,
    agent, run_hook, tool, tool_hook, turn_hook,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::answers::answers;
use crate::cut::Cut;
use crate::support::Log;

/// `PROPTEST_CASES` makes it longer; what failed is kept.
fn config() -> ProptestConfig {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/replays.txt");
    let default = ProptestConfig::default();
    // A case is several processes.
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 24 };
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..default
    }
}

/// What one agent is told to do: the calls of each of its turns.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Plan(Vec<Vec<Task>>);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Task {
    Add(u64),
    Log(u64),
    Look(u64),
    Slow(u64),
    Pay(u64),
    Ask(u64),
    Child(Plan),
}

fn plans() -> impl Strategy<Value = Plan> {
    let ms = || prop_oneof![Just(0_u64), Just(1), Just(2), Just(5), Just(9)];
    let leaf = prop_oneof![
        3 => ms().prop_map(Task::Add),
        3 => ms().prop_map(Task::Log),
        2 => ms().prop_map(Task::Look),
        2 => ms().prop_map(Task::Slow),
        1 => ms().prop_map(Task::Pay),
        1 => ms().prop_map(Task::Ask),
    ];
    let plan = |task: BoxedStrategy<Task>| {
        prop::collection::vec(prop::collection::vec(task, 1..4), 1..3).prop_map(Plan)
    };
    let grandchild = plan(leaf.clone().boxed()).prop_map(Task::Child);
    let task = prop_oneof![4 => leaf.clone(), 1 => grandchild];
    let child = plan(task.boxed()).prop_map(Task::Child);
    plan(prop_oneof![3 => leaf, 2 => child].boxed())
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Ledger {
    n: i64,
    words: Vec<String>,
    by: BTreeMap<String, i64>,
}

/// Adds one to both states.
#[tool]
async fn add(
    key: IdempotencyKey,
    ms: u64,
    st: State<Ledger>,
    session: &SessionState,
    log: Provided<Log>,
) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    let n = st.update(|st| {
        st.n += 1;
        st.n
    });
    session.set("n", n);
    log.push(format!("{key} add"));
    format!("added {n}")
}

/// Appends to a list, and sets a field.
#[tool]
async fn log(
    cx: &ToolContext,
    key: IdempotencyKey,
    ms: u64,
    st: State<Ledger>,
    session: &SessionState,
    log: Provided<Log>,
) {
    st.update(|st| st.words.push(format!("a{}", st.n)));
    cx.sleep(Duration::from_millis(ms)).await;
    st.update(|st| {
        st.words.push(format!("b{}", st.n));
        st.by.insert(format!("k{}", ms % 3), st.n);
    });
    session.set(&format!("log.k{}", ms % 2), st.latest().words.len());
    log.push(format!("{key} log"));
}

/// Reads both states.
#[tool]
async fn look(ms: u64, st: State<Ledger>, session: &SessionState) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("saw {:?} {}", st.latest(), session.to_value())
}

/// Does nothing for a while.
#[tool]
async fn slow(ms: u64) -> &'static str {
    tokio::time::sleep(Duration::from_millis(3 * ms)).await;
    "slow"
}

/// Waits for a person, and changes the state.
#[tool(approval)]
async fn pay(key: IdempotencyKey, ms: u64, st: State<Ledger>, log: Provided<Log>) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    let n = st.update(|st| {
        st.n += 10;
        st.n
    });
    log.push(format!("{key} pay"));
    format!("paid at {n}")
}

/// Reads the states, changes one of them, asks by what it read, and does it again.
#[tool(asks)]
async fn ask(cx: &ToolContext, ms: u64, st: State<Ledger>, session: &SessionState) -> String {
    cx.sleep(Duration::from_millis(ms)).await;
    let before = (st.latest().n, session.get("n"));
    let counted = st.update(|st| {
        st.n += 100;
        st.n
    });
    let first = cx.ask::<bool>(format!("{before:?} {counted}?")).await;
    let later = st.latest().n;
    let second = cx.ask::<bool>(format!("{later}?")).await;
    format!("{first:?} {second:?} {before:?} {counted} {later} {}", st.latest().n)
}

/// Reads and changes the states before and behind a call.
#[tool_hook]
async fn around(
    ctx: &ToolContext,
    args: &mut Args,
    next: impl Next,
    st: State<Ledger>,
    session: &SessionState,
) -> ToolResult {
    let before = (st.n, session.get("n"));
    let at = st.update(|st| {
        st.words.push(format!("<{}", st.n));
        st.words.len()
    });
    let mut output = next.run(args).await?;
    let behind = (st.latest().n, session.get("n"));
    ctx.sleep(Duration::from_millis(2)).await;
    session.set("behind", st.latest().n);
    output.push_text(format!(" [{before:?} {at} {behind:?} {:?}]", session.get("behind")));
    Ok(output)
}

/// Writes the states into each result.
#[tool_hook]
fn spent(output: &mut ToolOutput, st: State<Ledger>, session: &SessionState) {
    output.push_text(format!(" ({} {:?})", st.n, session.get("log")));
}

/// Reads the states behind each answer of the model.
#[turn_hook(after_llm_call)]
fn turns(response: &mut ModelResponse, st: State<Ledger>, session: &SessionState) {
    response.text.push_str(&format!(" {{{} {:?}}}", st.n, session.get("n")));
    session.set("turns", st.n);
}

/// Reads the state before a run.
#[run_hook(pre)]
fn begins(st: State<Ledger>) {
    st.update(|st| st.words.push(format!("run {}", st.n)));
}

agent! {
    Grandchild {
        name: "grandchild", description: "Works.", instruction: "{n} {session_state.n}", state: Ledger,
        function_tools: [add, log, look, slow, pay, ask], tool_hooks: [around], turn_hooks: [turns], run_hooks: [begins],
    }
    Child {
        name: "child", description: "Works.", instruction: "{n} {session_state.log}", add_session_state_to_context: true, state: Ledger, agents: [Grandchild],
        function_tools: [add, log, look, slow, pay, ask], tool_hooks: [spent], run_hooks: [begins],
    }
    Parent {
        name: "parent", instruction: "{n}", state: Ledger, agents: [Child], max_parallel: 2,
        function_tools: [add, log, look, slow, pay, ask], tool_hooks: [spent, around], turn_hooks: [turns],
    }
}

/// Does what the input says. Its last answer holds all that it read.
fn planned() -> impl Model {
    answers(move |request, _| {
        let messages: Vec<_> = request.messages.iter().collect();
        let plan: Plan = serde_json::from_str(&messages[0].to_text()).unwrap();
        let turn = messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
        let beneath = if &*request.agent == "parent" { "agent__child" } else { "agent__grandchild" };
        let Some(tasks) = plan.0.get(turn) else {
            let all: Vec<_> = messages[1..].iter().map(|message| message.to_text().into_owned()).collect();
            return Ok(ModelResponse::text(format!("{:?}: {}", request.system, all.join("; "))));
        };
        let call = |(index, task): (usize, &Task)| {
            let (name, args) = match task {
                Task::Add(ms) => ("add", json!({ "ms": ms })),
                Task::Log(ms) => ("log", json!({ "ms": ms })),
                Task::Look(ms) => ("look", json!({ "ms": ms })),
                Task::Slow(ms) => ("slow", json!({ "ms": ms })),
                Task::Pay(ms) => ("pay", json!({ "ms": ms })),
                Task::Ask(ms) => ("ask", json!({ "ms": ms })),
                Task::Child(plan) => (beneath, json!({ "input": serde_json::to_string(plan).unwrap() })),
            };
            ToolCall::new(format!("c{turn}_{index}"), name, args.to_string())
        };
        Ok(ModelResponse::tool_calls(tasks.iter().enumerate().map(call)))
    })
}

/// What a run leaves.
#[derive(Debug, PartialEq)]
struct Left {
    text: String,
    history: Vec<Message>,
    ledger: Ledger,
    values: Value,
}

enum End {
    Cut,
    Paused(Paused),
    Done(Left),
}

async fn parent(log: &Log, journal: Option<Cut>) -> AgentHandle {
    let parent = Parent::builder().model(planned()).state(Ledger::default()).provide(log.clone());
    match journal {
        Some(journal) => parent.journal(journal).build().await.unwrap(),
        None => parent.build().await.unwrap(),
    }
}

/// One process: it begins the run, or goes on with a paused one.
async fn process(
    log: &Log,
    plan: &Plan,
    journal: Option<&Arc<MemoryJournal>>,
    at: usize,
    from: Option<Paused>,
) -> End {
    let reached = Arc::new(Notify::new());
    let cut = journal.map(|journal| Cut {
        journal: Arc::clone(journal),
        moments: Arc::default(),
        at,
        reached: Arc::clone(&reached),
    });
    let agent = parent(log, cut).await;
    let session = agent.session();
    let input = serde_json::to_string(plan).unwrap();
    let request = match &from {
        // One answer at a time, the last question first.
        Some(paused) => {
            let question = paused.questions().last().unwrap();
            let answer =
                if question.tool_name() == "pay" { Answer::allow() } else { Answer::value(true).unwrap() };
            agent.resume(paused).answer(question.key(), answer)
        }
        None => agent.request(input).run_id("run"),
    };
    let end = tokio::select! {
        biased;
        () = reached.notified() => return End::Cut,
        end = request.session(&session).run() => end,
    };
    match end {
        Ok(output) => End::Done(Left {
            text: output.text,
            history: session.history().to_vec(),
            ledger: Ledger::clone(&session.typed_state::<Ledger>().unwrap()),
            values: session.state().to_value(),
        }),
        Err(RunError::Paused(paused)) => {
            let text = serde_json::to_string(&paused).unwrap();
            End::Paused(serde_json::from_str(&text).unwrap())
        }
        Err(error) => panic!("{error}\n{plan:?}"),
    }
}

/// All processes until the end. Each but the last one is killed at its moment.
async fn until_done(log: &Log, plan: &Plan, journal: Option<&Arc<MemoryJournal>>, kills: &[usize]) -> Left {
    let (mut kills, mut from) = (kills.iter(), None);
    loop {
        match process(log, plan, journal, kills.next().copied().unwrap_or(0), from.clone()).await {
            End::Cut => {}
            End::Paused(paused) => from = Some(paused),
            End::Done(left) => return left,
        }
    }
}

fn case(plan: &Plan, kills: &[usize]) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let log = Log::default();
        // Paused at each question, without a journal of the program: nothing happens twice.
        until_done(&log, plan, None, &[]).await;
        let mut done = log.take();
        let all = done.len();
        done.sort();
        done.dedup();
        assert_eq!(done.len(), all, "a recorded call ran twice: {plan:?}");
        // Killed too.
        let journal = Arc::new(MemoryJournal::default());
        let left = until_done(&log, plan, Some(&journal), kills).await;
        log.take();
        let steps = journal.steps("run");
        let End::Done(again) = process(&log, plan, Some(&journal), 0, None).await else { panic!("{plan:?}") };
        assert_eq!(log.take(), Vec::<String>::new(), "{plan:?}");
        assert_eq!(journal.steps("run"), steps, "a replay adds no step: {plan:?}");
        assert_eq!(again, left, "{plan:?}");
    });
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn long_a7_a_run_that_is_paused_or_killed_is_replayed_as_it_was(
        plan in plans(),
        kills in prop::collection::vec(1_usize..80, 0..5),
    ) {
        case(&plan, &kills);
    }
}

/// Killed at each moment.
#[test]
fn o5_a_run_of_readers_and_writers_is_killed_at_each_moment() {
    let child = Plan(vec![vec![Task::Add(1), Task::Slow(2), Task::Ask(0)], vec![Task::Log(1)]]);
    let plan = Plan(vec![
        vec![Task::Slow(9), Task::Add(5), Task::Child(child), Task::Log(2)],
        vec![Task::Pay(1), Task::Look(0)],
    ]);
    for at in (1..400).step_by(3) {
        case(&plan, &[at]);
    }
}
