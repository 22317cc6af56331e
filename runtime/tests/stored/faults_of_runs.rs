//! Runs of stored sessions that end in unusual ways, and stay in the process.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::model::Usage;
use onionskin::question::{Answer, Paused};
use onionskin::run_hooks::RunInput;
use onionskin::sessions::{MemorySessions, SessionError, SessionStore, SessionStoreError, Sessions};
use onionskin::{
    AgentHandle, Provided, RunContext, RunError, RunOutput, ScriptedModel, ScriptedTurn, Secret,
    SessionState, ToolContext, agent, run_hook, tool,
};
use serde_json::json;
use tokio::time::timeout;

use crate::faults::{Fault, Faulty};

/// The price that a tool asks about, and what was bought.
#[derive(Default)]
struct Market {
    price: AtomicU32,
    bought: Mutex<Vec<u32>>,
    /// Whether the next run fails before it begins.
    is_closed: AtomicU32,
}

/// Buys at the price of the day.
#[tool(asks, effect = idempotent)]
async fn buy(market: Provided<Market>, cx: &ToolContext) -> Result<String, onionskin::question::AskError> {
    let price = market.price.load(Ordering::Relaxed);
    let is_allowed: bool = cx.ask(format!("Buy for {price}?")).await?;
    if is_allowed {
        market.bought.lock().unwrap().push(price);
    }
    Ok(format!("bought: {is_allowed}"))
}

/// Looks around.
#[tool]
fn look(values: &SessionState) -> &'static str {
    values.set("looked", true);
    "nothing"
}

#[run_hook(pre)]
fn closed(input: &mut RunInput, market: Provided<Market>) -> Result<(), String> {
    let _ = input;
    if market.is_closed.load(Ordering::Relaxed) > 0 { Err("the market is closed".to_owned()) } else { Ok(()) }
}

agent! {
    Trader { instruction: "Trade.", function_tools: [buy, look], run_hooks: [closed] }
}

fn turns() -> [ScriptedTurn; 4] {
    [
        ScriptedTurn::call("look", json!({})).usage(Usage::new(100, 10)),
        ScriptedTurn::call("buy", json!({})).usage(Usage::new(200, 20)),
        ScriptedTurn::say("Done: {last}").usage(Usage::new(300, 30)),
        ScriptedTurn::say("Yes?").usage(Usage::new(400, 40)),
    ]
}

async fn trader(store: impl SessionStore, market: &Arc<Market>) -> AgentHandle {
    let builder = Trader::builder().model(ScriptedModel::turns(turns()));
    builder.provide_shared(Arc::clone(market)).session_store(store).build().await.unwrap()
}

fn pause(result: Result<RunOutput, RunError>) -> Paused {
    match result {
        Err(RunError::Paused(paused)) => paused,
        other => panic!("{other:?}"),
    }
}

fn at_price(price: u32) -> Arc<Market> {
    let market = Market::default();
    market.price.store(price, Ordering::Relaxed);
    Arc::new(market)
}

#[tokio::test]
async fn u2_a_resumed_run_that_fails_early_still_waits() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let trader = trader(Arc::clone(&store), &market).await;
    let session = trader.open_session("a").await.unwrap();
    let paused = pause(trader.request("Buy.").session(&session).run().await);
    market.is_closed.store(1, Ordering::Relaxed);
    for with_answer in [false, true, false] {
        let mut request = trader.resume(&paused).session(&session);
        if with_answer {
            request = request.answer(paused.questions()[0].key(), Answer::value(true).unwrap());
        }
        let error = request.run().await.unwrap_err();
        assert!(matches!(error, RunError::RunHook { .. }), "{error}");
        assert_eq!(session.paused().unwrap().questions(), paused.questions());
    }
    market.is_closed.store(0, Ordering::Relaxed);
    // The answer is in the store.
    let output = trader.resume(&session.paused().unwrap()).session(&session).run().await.unwrap();
    assert_eq!(output.text, "Done: bought: true");
    assert_eq!((session.history().len(), session.paused()), (6, None));
}

#[tokio::test]
async fn u2_an_answer_counts_only_for_the_question_that_it_answered() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let trader = trader(Arc::clone(&store), &market).await;
    let session = trader.open_session("a").await.unwrap();
    let paused = pause(trader.request("Buy.").session(&session).run().await);
    market.price.store(500, Ordering::Relaxed);
    let key = paused.questions()[0].key();
    let yes = Answer::value(true).unwrap();
    let paused = pause(trader.resume(&paused).session(&session).answer(key, yes).run().await);
    let paused = pause(trader.resume(&paused).session(&session).run().await);
    assert!(market.bought.lock().unwrap().is_empty());
    let no = Answer::value(false).unwrap();
    let resumed = trader.resume(&paused).session(&session).answer(paused.questions()[0].key(), no);
    assert_eq!(resumed.run().await.unwrap().text, "Done: bought: false");
}

#[tokio::test]
async fn o3_tokens_of_a_resumed_run_are_counted_once() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let trader = trader(Arc::clone(&store), &market).await;
    let session = trader.open_session("a").await.unwrap();
    let paused = pause(trader.request("Buy.").session(&session).run().await);
    assert_eq!(session.usage().total(), Usage::new(300, 30));
    let paused = pause(trader.resume(&paused).session(&session).run().await);
    assert_eq!(session.usage().total(), Usage::new(300, 30));
    let answer = Answer::value(true).unwrap();
    trader.resume(&paused).session(&session).answer(paused.questions()[0].key(), answer).run().await.unwrap();
    assert_eq!(session.usage().total(), Usage::new(600, 60));
}

#[tokio::test(start_paused = true)]
async fn u2_a_dropped_run_continues_in_the_same_process_whatever_append_hangs() {
    for fault in [Fault::Fails, Fault::HangsBefore, Fault::HangsAfter] {
        for number in 0.. {
            let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
            let faulty = Arc::new(Faulty::new(&store, number, fault));
            let trader = trader(Arc::clone(&faulty), &market).await;
            let session = trader.open_session("a").await.unwrap();
            let mut tries = 0;
            let is_done = || {
                session.paused().is_none()
                    && session.history().last().is_some_and(|last| last.to_text() == "Done: bought: true")
            };
            while !is_done() {
                tries += 1;
                assert!(tries < 10, "{fault:?} at append {number}");
                let request = match session.paused() {
                    None => {
                        session.set_history([]).unwrap();
                        trader.request("Buy.").session(&session)
                    }
                    Some(paused) => {
                        let answer = Answer::value(true).unwrap();
                        trader.resume(&paused).session(&session).answer(paused.questions()[0].key(), answer)
                    }
                };
                match timeout(Duration::from_secs(5), request.run()).await {
                    Err(_) | Ok(Ok(_) | Err(RunError::Paused(_) | RunError::Session { .. })) => {}
                    Ok(Err(RunError::Journal { source, .. })) if source.to_string().contains("full") => {}
                    Ok(Err(error)) => panic!("{fault:?} at append {number}: {error}"),
                }
                // The task of a dropped run.
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            if !faulty.has_failed() {
                assert!(number > 8, "{number} appends");
                break;
            }
            // What is in memory is what the store has.
            let next = trader.request("Hello?").session(&session).run().await.unwrap();
            assert_eq!(next.text, "Yes?");
            let before = (session.history(), session.state().to_value(), session.usage());
            session.reload().await.unwrap();
            assert_eq!((session.history(), session.state().to_value(), session.usage()), before);
        }
    }
}

#[tokio::test]
async fn a12_secrets_stay_when_a_session_is_read_again() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let (one, other) = (trader(Arc::clone(&store), &market).await, trader(Arc::clone(&store), &market).await);
    let session = one.open_session("a").await.unwrap();
    session.state().set_secret("api.key", Secret::new("hunter2-hunter2".to_owned()));
    let elsewhere = other.open_session("a").await.unwrap();
    pause(other.request("Buy.").session(&elsewhere).run().await);
    elsewhere.give_up().await.unwrap();
    session.reload().await.unwrap();
    assert!(session.state().has_secret("api.key"));
    assert_eq!(session.history(), elsewhere.history());
    let texts: Vec<_> = session.history().iter().map(|message| message.to_text().into_owned()).collect();
    assert!(texts.last().unwrap().contains("nobody answered"), "{texts:?}");
}

#[tokio::test]
async fn a12_changes_beside_a_waiting_run_are_refused_and_those_of_give_up_stay() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let trader = trader(Arc::clone(&store), &market).await;
    let session = trader.open_session("a").await.unwrap();
    pause(trader.request("Buy.").session(&session).run().await);
    session.state().set("note", "mine");
    let error = session.store().await.unwrap_err();
    assert!(matches!(error, SessionError::Waits { .. }), "{error}");
    // The run would go on without it.
    let resume = || {
        let (paused, answer) = (session.paused().unwrap(), Answer::value(true).unwrap());
        let key = paused.questions()[0].key().to_owned();
        trader.resume(&paused).session(&session).answer(key, answer).run()
    };
    for _ in 0..2 {
        let error = resume().await.unwrap_err();
        assert!(matches!(&error, RunError::Session { source: SessionError::Unstored { .. }, .. }), "{error}");
        assert_eq!(session.state().get("note"), Some("mine".into()));
    }
    session.give_up().await.unwrap();
    assert_eq!(session.state().get("note"), Some("mine".into()));
    assert_eq!(session.state().get("looked"), Some(true.into()));

    let session = trader.open_session("b").await.unwrap();
    let paused = pause(trader.request("Buy.").session(&session).run().await);
    session.state().set("note", "mine");
    session.reload().await.unwrap();
    let (key, answer) = (paused.questions()[0].key(), Answer::value(true).unwrap());
    trader.resume(&paused).session(&session).answer(key, answer).run().await.unwrap();
    assert_eq!(session.state().get("note"), None);
}

#[tokio::test]
async fn a12_an_import_and_a_fork_use_no_answer_of_the_original() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let trader = trader(Arc::clone(&store), &market).await;
    let session = trader.open_session("a").await.unwrap();
    let paused = pause(trader.request("Buy.").session(&session).run().await);
    market.is_closed.store(1, Ordering::Relaxed);
    let (key, answer) = (paused.questions()[0].key(), Answer::value(true).unwrap());
    trader.resume(&paused).session(&session).answer(key, answer).run().await.unwrap_err();
    market.is_closed.store(0, Ordering::Relaxed);

    let sessions = Sessions::new(Arc::clone(&store));
    let export = sessions.export("a").await.unwrap();
    assert!(serde_json::to_string(&export).unwrap().contains(r#""kind":"answered""#));
    sessions.import("imported", export).await.unwrap();
    sessions.fork("a", "forked", 0).await.unwrap();
    for (id, messages) in [("imported", 5), ("forked", 0)] {
        let copy = trader.open_session(id).await.unwrap();
        assert_eq!((copy.paused(), copy.history().len()), (None, messages), "{id}");
        copy.history().check().unwrap();
        let resumed = trader.resume(&session.paused().unwrap()).session(&copy).run().await;
        assert!(matches!(resumed, Err(RunError::Session { source: SessionError::NotWaiting { .. }, .. })));
    }
    assert!(market.bought.lock().unwrap().is_empty());
    trader.resume(&session.paused().unwrap()).session(&session).run().await.unwrap();
    assert_eq!(*market.bought.lock().unwrap(), [5]);
}

#[tokio::test]
async fn u2_what_a_failed_attempt_left_is_no_change_of_the_program() {
    let mut failed_attempts = 0;
    for number in 0.. {
        let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
        let faulty = Arc::new(Faulty::new(&store, number, Fault::Fails));
        let trader = trader(Arc::clone(&faulty), &market).await;
        let session = trader.open_session("a").await.unwrap();
        let Err(RunError::Paused(paused)) = trader.request("Buy.").session(&session).run().await else {
            continue;
        };
        let resume = |paused: &Paused| {
            let (key, answer) = (paused.questions()[0].key().to_owned(), Answer::value(true).unwrap());
            trader.resume(paused).session(&session).answer(key, answer).run()
        };
        if resume(&paused).await.is_ok() {
            assert!(!faulty.has_failed());
            break;
        }
        failed_attempts += 1;
        let error = trader.request("Hello?").session(&session).run().await.unwrap_err();
        assert!(matches!(&error, RunError::Session { source: SessionError::Waits { .. }, .. }), "{error}");
        let output = resume(&session.paused().unwrap()).await.unwrap();
        assert_eq!(output.text, "Done: bought: true", "append {number}");
    }
    assert!(failed_attempts > 2, "{failed_attempts}");
}

agent! {
    Looker { instruction: "Look.", function_tools: [look] }
}

#[tokio::test]
async fn a12_a_replay_does_not_drop_what_the_program_changed() {
    let turns = [ScriptedTurn::call("look", json!({})), ScriptedTurn::say("Done.")];
    let looker = Looker::builder().model(ScriptedModel::turns(turns)).journal(MemoryJournal::default());
    let looker = looker.session_store(MemorySessions::default()).build().await.unwrap();
    let session = looker.open_session("a").await.unwrap();
    let run = || looker.request("Look.").session(&session).run_id("run-1").run();
    run().await.unwrap();
    session.state().set("note", "mine");
    let error = run().await.unwrap_err();
    assert!(matches!(&error, RunError::Session { source: SessionError::Unstored { .. }, .. }), "{error}");
    session.reload().await.unwrap();
    assert_eq!(run().await.unwrap().text, "Done.");
    assert_eq!((session.history().len(), session.state().get("note")), (4, None));
}

#[tokio::test]
async fn a12_two_first_writers_of_a_session_do_not_overwrite_each_other() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let (one, other) = (trader(Arc::clone(&store), &market).await, trader(Arc::clone(&store), &market).await);
    let session = one.open_session("a").await.unwrap();
    session.state().set("mine", 1);
    let elsewhere = other.open_session("a").await.unwrap();
    elsewhere.state().set("theirs", 2);
    elsewhere.store().await.unwrap();
    let error = session.store().await.unwrap_err();
    let is_told = matches!(error, SessionError::Store(SessionStoreError::Changed { .. }));
    assert!(is_told && session.state().get("mine") == Some(1.into()), "{error}");
}

#[tokio::test]
async fn a12_another_session_under_the_same_id_is_not_taken_for_the_deleted_one() {
    let (store, market) = (Arc::new(MemorySessions::default()), at_price(5));
    let (one, other) = (trader(Arc::clone(&store), &market).await, trader(Arc::clone(&store), &market).await);
    let session = one.open_session("a").await.unwrap();
    session.state().set("mine", 1);
    session.store().await.unwrap();
    Sessions::new(Arc::clone(&store))
        .delete(&onionskin::sessions::SessionSelection::session("a"))
        .await
        .unwrap();
    let elsewhere = other.open_session("a").await.unwrap();
    elsewhere.state().set("theirs", 2);
    elsewhere.store().await.unwrap();
    let error = one.request("Buy.").session(&session).run().await.unwrap_err();
    let is_told = matches!(
        &error,
        RunError::Session { source: SessionError::Store(SessionStoreError::Missing { .. }), .. }
    );
    assert!(is_told, "{error}");
    let again = one.open_session("a").await.unwrap();
    assert_eq!((again.state().get("mine"), again.state().get("theirs")), (None, Some(2.into())));
}

/// Stores the session of its own run.
#[tool]
async fn store_now(run: &RunContext) -> Result<(), SessionError> {
    run.session().unwrap().store().await
}

agent! {
    Eager { instruction: "Store.", function_tools: [store_now] }
}

#[tokio::test]
async fn a12_a_tool_that_stores_the_session_of_its_run_gets_an_error() {
    let turns = [ScriptedTurn::call("store_now", json!({})), ScriptedTurn::say("{last}")];
    let eager = Eager::builder().model(ScriptedModel::turns(turns)).session_store(MemorySessions::default());
    let eager = eager.build().await.unwrap();
    let session = eager.open_session("a").await.unwrap();
    let output = timeout(Duration::from_secs(5), eager.request("Go.").session(&session).run()).await.unwrap();
    assert!(output.unwrap().text.contains("is in use by the run of the caller"));
}

/// Puts the key into a header.
#[tool(approval)]
fn sign(values: &SessionState) {
    values.set("header", "Bearer hunter2-hunter2");
}

agent! {
    Signer { instruction: "Sign.", function_tools: [sign] }
}

#[tokio::test]
async fn t8_a_step_with_a_secret_is_not_stored() {
    let store = Arc::new(MemorySessions::default());
    let turns = [ScriptedTurn::call("sign", json!({})), ScriptedTurn::say("Done.")];
    let signer = Signer::builder().model(ScriptedModel::turns(turns)).session_store(Arc::clone(&store));
    let signer = signer.build().await.unwrap();
    let session = signer.open_session("a").await.unwrap();
    session.state().set_secret("key", Secret::new("hunter2-hunter2".to_owned()));
    let paused = pause(signer.request("Sign.").session(&session).run().await);
    let resumed =
        signer.resume(&paused).session(&session).answer(paused.questions()[0].key(), Answer::allow());
    let error = resumed.run().await.unwrap_err();
    assert!(matches!(error, RunError::Journal { .. }), "{error}");
    for record in store.read("a", 0).await.unwrap() {
        let json = record.to_json().unwrap();
        assert!(!json.contains("hunter2"), "{json}");
    }
}
