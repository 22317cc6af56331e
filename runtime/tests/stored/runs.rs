//! Runs of stored sessions.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use onionskin::model::Usage;
use onionskin::run::SavedSessionError;
use onionskin::sessions::{
    MemorySessions, SessionError, SessionLease, SessionQuery, SessionSelection, SessionStore, Sessions,
};
use onionskin::{
    AgentHandle, AgentTool, BuildError, RunError, ScriptedModel, ScriptedTurn, Session, SessionState, State,
    agent, tool,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Serialize, Deserialize)]
struct Till {
    cents: u32,
}

/// Takes money.
#[tool]
fn take(cents: u32, till: State<Till>, values: &SessionState) -> String {
    till.update(|till| till.cents += cents);
    values.set("last", cents);
    format!("took {cents}")
}

/// Never ends.
#[tool]
async fn stall() {
    pending::<()>().await;
}

agent! {
    Clerk { instruction: "Serve.", state: Till, function_tools: [take, stall] }
}

async fn clerk(store: &Arc<MemorySessions>, turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentHandle {
    let model = ScriptedModel::turns(turns);
    let builder = Clerk::builder().model(model).state(Till { cents: 1 }).session_store(Arc::clone(store));
    builder.build().await.unwrap()
}

fn texts(session: &Session) -> Vec<String> {
    session.history().iter().map(|message| message.to_text().into_owned()).collect()
}

fn took(cents: u32) -> ScriptedTurn {
    ScriptedTurn::call("take", json!({ "cents": cents }))
}

#[tokio::test]
async fn a12_a_stored_session_goes_on_in_another_process() {
    let store = Arc::new(MemorySessions::default());
    let first = clerk(&store, [took(5), ScriptedTurn::say("Thank you.").usage(Usage::new(7, 2))]).await;
    let session = first.open_session("ticket-7").await.unwrap();
    assert_eq!(session.id(), "ticket-7");
    first.request("Five.").session(&session).user("ada").run().await.unwrap();
    let (before, used) = (session.history(), session.usage());
    assert!(used.total().total() >= 9);

    // Another agent has its own memory, as another process has.
    let later =
        clerk(&store, [took(5), ScriptedTurn::say("Thank you."), ScriptedTurn::say("You gave {input}")])
            .await;
    let session = later.open_session("ticket-7").await.unwrap();
    assert_eq!(session.history(), before);
    assert_eq!(session.typed_state::<Till>().unwrap().cents, 6);
    assert_eq!(session.state().get("last"), Some(5.into()));
    assert_eq!((session.usage(), session.user().as_deref()), (used, Some("ada")));
    later.request("five").session(&session).user("ada").run().await.unwrap();
    assert_eq!(texts(&session)[4..], ["five", "You gave five"]);

    let page = store.list(&SessionQuery::default()).await.unwrap();
    let [summary] = &page.sessions[..] else { panic!("one session") };
    assert_eq!((&*summary.id, summary.user.as_deref()), ("ticket-7", Some("ada")));
}

#[tokio::test]
async fn a12_an_open_session_exists_once_in_a_process() {
    let store = Arc::new(MemorySessions::default());
    let clerk = clerk(&store, [took(5), took(6), ScriptedTurn::say("Done.")]).await;
    let one = clerk.open_session("a").await.unwrap();
    let other = clerk.open_session("a").await.unwrap();
    one.state().set("key", 1);
    assert_eq!(other.state().get("key"), Some(1.into()));
    assert!(clerk.open_session("b").await.unwrap().state().get("key").is_none());
}

#[tokio::test]
async fn a12_a_run_that_is_dropped_leaves_what_it_did_in_the_store() {
    let store = Arc::new(MemorySessions::default());
    let turn = ScriptedTurn::call("take", json!({ "cents": 5 })).and_call("stall", json!({}));
    let first = clerk(&store, [turn.clone()]).await;
    let session = first.open_session("a").await.unwrap();
    let mut run = Box::pin(first.request("Five.").session(&session).run());
    // The call of `take` has its result when the store has it: user, answer and result are four records with the start.
    loop {
        assert!(futures_util::poll!(&mut run).is_pending());
        let done = store.read("a", 0).await.unwrap();
        if done.iter().any(|record| record.to_json().unwrap().contains("took 5")) {
            break;
        }
        tokio::task::yield_now().await;
    }
    // As after kill -9: nothing of this process runs any more, and its lease ends.
    std::mem::forget(run);
    let copy = Arc::new(MemorySessions::default());
    copy_records(&store, &copy, "a").await;
    let later = clerk(&copy, [turn, ScriptedTurn::say("Go on.")]).await;
    let session = later.open_session("a").await.unwrap();
    session.history().check().unwrap();
    let texts = texts(&session);
    assert!(texts[2].contains("took 5") && texts[2].contains("may have taken effect"), "{texts:?}");
    assert_eq!(session.typed_state::<Till>().unwrap().cents, 6);
    let output = later.request("And?").session(&session).run().await.unwrap();
    assert_eq!(output.text, "Go on.");
    let sessions = Sessions::new(Arc::clone(&copy));
    sessions.fork("a", "b", 3).await.unwrap();
    assert_eq!(sessions.read("b").await.unwrap().content.history().len(), 3);
}

pub async fn copy_records(from: &MemorySessions, to: &MemorySessions, id: &str) {
    let records = from.read(id, 0).await.unwrap();
    let lease = SessionLease::new(id, "copy", Duration::from_secs(1));
    to.acquire(&lease).await.unwrap();
    to.append(&lease, 0, &records).await.unwrap();
    to.release(&lease).await.unwrap();
}

#[tokio::test]
async fn a12_what_a_program_changes_between_runs_is_stored_too() {
    let store = Arc::new(MemorySessions::default());
    let first = clerk(&store, [ScriptedTurn::say("Yes.")]).await;
    let session = first.open_session("a").await.unwrap();
    session.state().set("name", "Ada");
    session.set_typed_state(Till { cents: 20 }).unwrap();
    session.store().await.unwrap();
    let other = clerk(&store, []).await.open_session("a").await.unwrap();
    assert_eq!(other.state().get("name"), Some("Ada".into()));
    assert_eq!(other.typed_state::<Till>().unwrap().cents, 20);
    session.state().set("name", "Bo");
    session.set_history([]).unwrap();
    session.store().await.unwrap();
    other.reload().await.unwrap();
    assert_eq!((other.state().get("name"), other.history().len()), (Some("Bo".into()), 0));
}

#[tokio::test]
async fn a12_a_session_belongs_to_its_first_user() {
    let store = Arc::new(MemorySessions::default());
    let clerk = clerk(&store, [ScriptedTurn::say("Yes."), ScriptedTurn::say("No.")]).await;
    let session = clerk.open_session("a").await.unwrap();
    clerk.request("Hi.").session(&session).user("ada").run().await.unwrap();
    let error = clerk.request("Hi.").session(&session).user("bo").run().await.unwrap_err();
    assert!(matches!(&error, RunError::Session { source: SessionError::OtherUser { .. }, .. }), "{error}");
    assert!(!error.to_string().contains("ada"));
    let error = clerk.request("Hi.").session(&session).run().await.unwrap_err();
    assert!(matches!(&error, RunError::Session { source: SessionError::OtherUser { .. }, .. }), "{error}");
    assert_eq!(session.history().len(), 2);
    clerk.request("Hi.").session(&session).user("ada").run().await.unwrap();
}

#[tokio::test]
async fn t8_a_stored_session_has_no_secrets() {
    let store = Arc::new(MemorySessions::default());
    let clerk = clerk(&store, [ScriptedTurn::say("{input}")]).await;
    let session = clerk.open_session("a").await.unwrap();
    session.state().set_secret("key", onionskin::Secret::new("hunter2-hunter2".to_owned()));
    clerk.request("My key is hunter2-hunter2.").session(&session).run().await.unwrap();
    session.state().set("copy", "hunter2-hunter2");
    session.store().await.unwrap();
    let helper =
        Helper::builder().model(ScriptedModel::turns([ScriptedTurn::say("1")])).build().await.unwrap();
    let tool = AgentTool::new(&helper).thread_by(|_| Some("of hunter2-hunter2".to_owned()));
    let turns = [ScriptedTurn::call("agent__Helper", json!({ "input": "Go." })), ScriptedTurn::say("Well.")];
    let boss =
        Boss::builder().model(ScriptedModel::turns(turns)).tool(tool).session_store(Arc::clone(&store));
    let boss = boss.build().await.unwrap();
    let with_thread = boss.open_session("b").await.unwrap();
    with_thread.state().set_secret("key", onionskin::Secret::new("hunter2-hunter2".to_owned()));
    boss.request("Go.").session(&with_thread).run().await.unwrap();
    // Under a name without the secret, the thread could not be found again.
    let result = with_thread.history()[2].to_text().into_owned();
    assert!(result.contains("use another name"), "{result}");
    let threads = store.read("b", 0).await.unwrap();
    for record in threads.iter().chain(&store.read("a", 0).await.unwrap()) {
        let json = record.to_json().unwrap();
        assert!(!json.contains("hunter2"), "{json}");
    }
}

#[tokio::test]
async fn a12_values_that_are_no_object_are_refused() {
    let store = Arc::new(MemorySessions::default());
    let session = clerk(&store, []).await.open_session("a").await.unwrap();
    session.state().replace(json!(["a"]));
    let error = session.store().await.unwrap_err();
    assert!(matches!(error, SessionError::Content(SavedSessionError::Unreadable { .. })), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a12_a_run_in_progress_does_not_revive_a_session_that_was_deleted() {
    let store = Arc::new(MemorySessions::default());
    let clerk = clerk(&store, [ScriptedTurn::call("stall", json!({}))]).await;
    let session = clerk.open_session("a").await.unwrap();
    let mut run = Box::pin(clerk.request("Wait.").session(&session).run());
    while store.read("a", 0).await.unwrap().len() < 3 {
        assert!(futures_util::poll!(&mut run).is_pending());
        tokio::task::yield_now().await;
    }
    assert_eq!(store.delete(&SessionSelection::session("a")).await.unwrap(), 1);
    tokio::time::sleep(store.lease_time()).await;
    let other = SessionLease::new("a", "another", Duration::from_secs(1));
    assert_eq!(store.acquire(&other).await, Ok(0));
}

#[derive(Clone)]
struct Pool;

agent! {
    Diver { instruction: "Dive.", state: Pool }
}

#[tokio::test]
async fn a12_a_state_that_cannot_be_stored_is_an_error_of_the_build() {
    let builder = || Diver::builder().model(ScriptedModel::new()).state(Pool);
    let error = builder().session_store(MemorySessions::default()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::UnstorableState { state, .. } if state.ends_with("Pool")), "{error}");
    let built =
        builder().session_store(MemorySessions::default()).unstored_state::<Pool>().build().await.unwrap();
    assert!(built.open_session("a").await.unwrap().typed_state::<Pool>().is_some());
    let error = builder().unstored_state::<Pool>().build().await.unwrap_err();
    assert!(matches!(error, BuildError::UnusedUnstored { .. }), "{error}");
}

#[tokio::test]
async fn a12_ids_are_checked_and_a_store_is_needed() {
    let store = Arc::new(MemorySessions::default());
    let clerk = clerk(&store, []).await;
    for id in ["", "a\nb", &"x".repeat(257)] {
        assert!(clerk.open_session(id).await.is_err(), "{id}");
    }
    let none = Diver::builder().model(ScriptedModel::new()).state(Pool).build().await.unwrap();
    let error = none.open_session("a").await.unwrap_err();
    assert!(matches!(error, SessionError::NotStored { .. }), "{error}");
}

agent! {
    Helper { instruction: "Help." }
}

agent! {
    Boss { instruction: "Lead." }
}

#[tokio::test]
async fn a12_threads_of_agent_tools_and_children_go_on_after_a_restart() {
    let store = Arc::new(MemorySessions::default());
    let boss = async |turns: Vec<ScriptedTurn>, helped: Vec<ScriptedTurn>| {
        let helper = Helper::builder().model(ScriptedModel::turns(helped)).build().await.unwrap();
        let tool = AgentTool::new(&helper).thread_by(|_| Some("notes".to_owned()));
        let builder = Boss::builder().model(ScriptedModel::turns(turns)).tool(tool);
        builder.session_store(Arc::clone(&store)).build().await.unwrap()
    };
    let ask = |text: &str| ScriptedTurn::call("agent__Helper", json!({ "input": text }));
    let first =
        boss(vec![ask("one"), ScriptedTurn::say("Well.")], vec![ScriptedTurn::say("1: {input}")]).await;
    let session = first.open_session("a").await.unwrap();
    first.request("Go.").session(&session).run().await.unwrap();

    let helped = vec![ScriptedTurn::say("1: {input}"), ScriptedTurn::say("2: {input}")];
    let turns = vec![ask("one"), ScriptedTurn::say("Well."), ask("two"), ScriptedTurn::say("{last}")];
    let later = boss(turns, helped).await;
    let session = later.open_session("a").await.unwrap();
    let output = later.request("Again.").session(&session).run().await.unwrap();
    // The script of the helper counts the answers in its conversation.
    assert_eq!(output.text, "2: two");
}
