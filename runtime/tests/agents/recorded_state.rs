//! O5: what a recorded tool did to the state is done in a replay too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::journal::{JournalErrorKind, MemoryJournal};
use onionskin::{
    AgentHandle, RunError, RunOutput, ScriptedModel, ScriptedTurn, Secret, SessionState, State, ToolContext,
    agent, tool,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What was sold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Ledger {
    cents: i64,
    items: Vec<String>,
    last: Option<String>,
}

static SALES: AtomicU32 = AtomicU32::new(0);

/// Sells an item.
#[tool(effect = once)]
async fn sell(
    ledger: State<Ledger>,
    session: &SessionState,
    cx: &ToolContext,
    item: String,
    cents: i64,
    wait_ms: u64,
) {
    cx.sleep(std::time::Duration::from_millis(wait_ms)).await;
    SALES.fetch_add(1, Ordering::SeqCst);
    ledger.update(|ledger| {
        ledger.cents += cents;
        ledger.items.push(item.clone());
        ledger.last = Some(item.clone());
    });
    session.set(&format!("sold.{item}"), cents);
}

/// Sells on another thread.
#[tool(blocking)]
fn sell_slowly(ledger: State<Ledger>, item: String) {
    SALES.fetch_add(1, Ordering::SeqCst);
    ledger.update(|ledger| ledger.items.push(item));
}

agent! {
    Clerk { name: "clerk", description: "Sells.", instruction: "Sell.", state: Ledger, function_tools: [sell, sell_slowly] }
    Shop { name: "shop", instruction: "Ask.", state: Ledger, agents: [Clerk], function_tools: [sell, sell_slowly] }
}

async fn shop(journal: &Arc<MemoryJournal>) -> AgentHandle {
    let sale = |item: &str, wait_ms: u64| json!({ "item": item, "cents": 5, "wait_ms": wait_ms });
    let model = ScriptedModel::new()
        .agent("clerk", [ScriptedTurn::call("sell", sale("jam", 0)), ScriptedTurn::say("sold")])
        .agent(
            "shop",
            [
                // The first call is the last one that changes the state.
                ScriptedTurn::call("sell", sale("tea", 30))
                    .and_call("sell", sale("milk", 10))
                    .and_call("agent__clerk", json!({ "input": "jam" })),
                ScriptedTurn::call("sell_slowly", json!({ "item": "bread" })),
                ScriptedTurn::say("done"),
            ],
        );
    let shop = Shop::builder().state(Ledger::default()).model(model).journal(Arc::clone(journal));
    shop.build().await.unwrap()
}

/// Runs the shop in a new session, as another process would.
async fn run(journal: &Arc<MemoryJournal>) -> (Result<RunOutput, RunError>, Ledger, Value) {
    let shop = shop(journal).await;
    let session = shop.session();
    session.state().set("opened", true);
    let output = shop.request("go").run_id("day-1").session(&session).run().await;
    (output, Ledger::clone(&session.typed_state::<Ledger>().unwrap()), session.state().to_value())
}

#[tokio::test(start_paused = true)]
async fn o5_a_replay_leaves_the_state_that_the_run_left() {
    let journal = Arc::new(MemoryJournal::default());
    let (output, ledger, values) = run(&journal).await;
    assert_eq!(output.unwrap().text, "done");
    assert_eq!((ledger.cents, ledger.last.as_deref(), ledger.items.len()), (15, Some("tea"), 4));
    let sales = SALES.load(Ordering::SeqCst);

    let (again, same_ledger, same_values) = run(&journal).await;
    assert_eq!(again.unwrap().text, "done");
    assert_eq!(SALES.load(Ordering::SeqCst), sales, "no tool ran");
    assert_eq!((same_ledger.cents, &same_ledger.last), (ledger.cents, &ledger.last));
    let sorted = |mut ledger: Ledger| {
        ledger.items.sort();
        ledger
    };
    assert_eq!(sorted(same_ledger), sorted(ledger));
    assert_eq!(same_values, values);
    assert_eq!(values, json!({ "opened": true, "sold": { "tea": 5, "milk": 5, "jam": 5 } }));
}

/// Not for journals.
#[derive(Clone, Default)]
struct Opaque(u32);

/// Counts.
#[tool]
fn count(state: State<Opaque>) {
    state.update(|state| state.0 += 1);
}

/// Reads the count.
#[tool]
fn read(state: State<Opaque>) -> u32 {
    state.0
}

agent! { Counter { name: "counter", instruction: "Count.", state: Opaque, function_tools: [count, read] } }

#[tokio::test]
async fn o5_a_change_that_cannot_be_recorded_ends_the_run() {
    let run = async |tool: &str| {
        let model = ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
        Counter::builder()
            .state(Opaque::default())
            .model(model)
            .journal(MemoryJournal::default())
            .run("go")
            .await
    };
    assert_eq!(run("read").await.unwrap().text, "0", "a state that no tool changes needs no record");
    let Err(RunError::Journal { source, .. }) = run("count").await else { panic!("it goes on") };
    assert_eq!((source.kind(), source.step()), (JournalErrorKind::Unrecordable, "turn 1/call 1/tool count"));
    let text = source.to_string();
    assert!(text.contains("Opaque`, which cannot be recorded: derive `serde::Serialize`"), "{text}");
}

static LOGINS: AtomicU32 = AtomicU32::new(0);

/// Stores a token.
#[tool]
fn login(session: &SessionState) -> &'static str {
    LOGINS.fetch_add(1, Ordering::SeqCst);
    session.set_secret("token", Secret::new("token-of-this-login".to_owned()));
    "logged in"
}

/// Uses the token.
#[tool]
fn fetch(#[bind("token")] token: Secret<String>) -> usize {
    token.expose().len()
}

agent! { Visitor { name: "visitor", instruction: "Log in.", function_tools: [login, fetch] } }

#[tokio::test]
async fn o5_a_call_that_stores_a_secret_runs_again_in_a_replay() {
    let journal = Arc::new(MemoryJournal::default());
    for logins in 1..=2 {
        let model = ScriptedModel::turns([
            ScriptedTurn::call("login", json!({})),
            ScriptedTurn::call("fetch", json!({})),
            ScriptedTurn::say("{last}"),
        ]);
        let visitor = Visitor::builder().model(model).journal(Arc::clone(&journal)).build().await.unwrap();
        assert_eq!(visitor.request("go").run_id("visit").run().await.unwrap().text, "19");
        assert_eq!(LOGINS.load(Ordering::SeqCst), logins);
    }
}

/// Counts in several ways, after a wait.
#[tool]
async fn tally(ledger: State<Tally>, cx: &ToolContext, name: String, wait_ms: u64) {
    cx.sleep(std::time::Duration::from_millis(wait_ms)).await;
    ledger.update(|tally| {
        *tally.by_name.entry("all".to_owned()).or_default() += 1;
        tally.log.get_or_insert_default().push(name.clone());
        tally.last = name;
    });
}

/// Empties the log.
#[tool]
fn empty(ledger: State<Tally>) {
    ledger.update(|tally| tally.log = Some(Vec::new()));
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    by_name: std::collections::BTreeMap<String, u32>,
    log: Option<Vec<String>>,
    last: String,
}

agent! { Teller { name: "teller", instruction: "Count.", state: Tally, function_tools: [tally, empty] } }

/// The first call of a turn can be the last one that changes the state.
#[tokio::test(start_paused = true)]
async fn o5_changes_of_calls_side_by_side_are_repeated_in_their_order() {
    let journal = Arc::new(MemoryJournal::default());
    let run = async || {
        let named = |name: &str, wait_ms: u64| json!({ "name": name, "wait_ms": wait_ms });
        let model = ScriptedModel::turns([
            ScriptedTurn::call("tally", named("slow", 30))
                .and_call("tally", named("quick", 5))
                .and_call("empty", json!({})),
            ScriptedTurn::say("done"),
        ]);
        let teller = Teller::builder().state(Tally::default()).model(model).journal(Arc::clone(&journal));
        let teller = teller.build().await.unwrap();
        let session = teller.session();
        teller.request("go").run_id("count").session(&session).run().await.unwrap();
        Tally::clone(&session.typed_state::<Tally>().unwrap())
    };
    let first = run().await;
    assert_eq!(first.log.as_deref(), Some(&["quick".to_owned(), "slow".to_owned()][..]));
    assert_eq!((first.by_name["all"], &*first.last), (2, "slow"));
    assert_eq!(run().await, first);
}

/// Works, and then its model fails.
mod failing {
    use super::*;

    agent! {
        pub(super) Worker { name: "worker", description: "Counts.", instruction: "Count.", state: Tally, function_tools: [tally] }
        pub(super) Lead { name: "lead", instruction: "Ask.", state: Tally, agents: [Worker], function_tools: [tally] }
    }
}

#[tokio::test(start_paused = true)]
async fn o5_what_a_failed_child_did_to_the_state_is_repeated() {
    let journal = Arc::new(MemoryJournal::default());
    let run = async || {
        let count = json!({ "name": "child", "wait_ms": 0 });
        let model = ScriptedModel::new()
            .agent("worker", [ScriptedTurn::call("tally", count), ScriptedTurn::fail(400)])
            .agent(
                "lead",
                [ScriptedTurn::call("agent__worker", json!({ "input": "count" })), ScriptedTurn::say("done")],
            );
        let lead =
            failing::Lead::builder().state(Tally::default()).model(model).journal(Arc::clone(&journal));
        let lead = lead.build().await.unwrap();
        let session = lead.session();
        lead.request("go").run_id("count").session(&session).run().await.unwrap();
        session.typed_state::<Tally>().unwrap().by_name["all"]
    };
    assert_eq!((run().await, run().await), (1, 1));
}

/// Takes a value of the session as a secret.
#[tool(effect = once)]
fn enter(#[bind("pin")] pin: Secret<String>) -> usize {
    pin.expose().len()
}

/// Gives the pin away.
#[tool]
fn leak() -> &'static str {
    "the pin is 4711-4711"
}

/// As `enter`, and may be repeated.
#[tool]
fn peek(#[bind("pin")] pin: Secret<String>) -> usize {
    pin.expose().len()
}

agent! { Guest { name: "guest", instruction: "Enter.", function_tools: [enter, peek, leak] } }

/// A session in another process does not know a secret that only a recorded call told it.
#[tokio::test]
async fn o5_a_continued_run_hides_the_secrets_of_recorded_calls() {
    for (tool, replays) in [("peek", true), ("enter", false)] {
        let journal = Arc::new(MemoryJournal::default());
        let run = async |last: ScriptedTurn| {
            let model = ScriptedModel::turns([
                ScriptedTurn::call(tool, json!({})),
                ScriptedTurn::call("leak", json!({})),
                last,
            ]);
            let guest = Guest::builder().model(model).journal(Arc::clone(&journal)).build().await.unwrap();
            let session = guest.session();
            session.state().set("pin", "4711-4711");
            guest.request("go").run_id("visit").session(&session).run().await
        };
        run(ScriptedTurn::fail(400)).await.unwrap_err();
        match run(ScriptedTurn::say("{last}")).await {
            Ok(output) => assert_eq!((&*output.text, replays), ("the pin is [secret]", true)),
            Err(RunError::Journal { source, .. }) => {
                assert_eq!((source.kind(), replays), (JournalErrorKind::Unrecordable, false), "{source}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// Replaces a secret by a value.
#[tool]
fn publish(session: &SessionState) {
    session.set("token", "public");
}

/// Takes the value.
#[tool]
fn show(#[bind("token")] token: String) -> String {
    token
}

agent! { Publisher { name: "publisher", instruction: "Publish.", function_tools: [publish, show] } }

#[tokio::test]
async fn o5_a_value_over_a_secret_removes_the_secret_in_a_replay_too() {
    let journal = Arc::new(MemoryJournal::default());
    let run = async |last: ScriptedTurn| {
        let calls = [ScriptedTurn::call("publish", json!({})), ScriptedTurn::call("show", json!({}))];
        // The first run ends before `show`.
        let model = ScriptedModel::turns(match last.fail {
            Some(_) => [&calls[..1], &[last]].concat(),
            None => [&calls[..], &[last]].concat(),
        });
        let publisher =
            Publisher::builder().model(model).journal(Arc::clone(&journal)).build().await.unwrap();
        let session = publisher.session();
        session.state().set_secret("token", Secret::new("a-secret-token".to_owned()));
        let output = publisher.request("go").run_id("publish").session(&session).run().await;
        (output.map(|output| output.text), session.state().has_secret("token"))
    };
    assert!(run(ScriptedTurn::fail(400)).await.0.is_err());
    let (text, has_secret) = run(ScriptedTurn::say("{last}")).await;
    assert_eq!((text.unwrap().as_str(), has_secret), ("public", false));
}

/// A mean of no numbers.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Mean(f64);

/// Divides by nothing.
#[tool]
fn divide(mean: State<Mean>) {
    mean.update(|mean| mean.0 = f64::NAN);
}

agent! { Divider { name: "divider", instruction: "Divide.", state: Mean, function_tools: [divide] } }

#[tokio::test]
async fn o5_a_state_that_cannot_be_read_back_is_refused_when_it_is_recorded() {
    let model = ScriptedModel::turns([ScriptedTurn::call("divide", json!({})), ScriptedTurn::say("done")]);
    let end = Divider::builder()
        .state(Mean::default())
        .model(model)
        .journal(MemoryJournal::default())
        .run("go")
        .await;
    let Err(RunError::Journal { source, .. }) = end else { panic!("{end:?}") };
    assert_eq!(source.kind(), JournalErrorKind::Unrecordable);
    assert!(source.to_string().contains("cannot be read back from its JSON"), "{source}");
}
