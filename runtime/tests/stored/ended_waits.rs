//! Runs that were given up: which of their calls the conversation says did not run.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use onionskin::model::{Model, ModelResponse, ToolCall};
use onionskin::question::{Answer, Paused};
use onionskin::sessions::{MemorySessions, SessionStore, Sessions};
use onionskin::{AgentHandle, Provided, RunError, RunOutput, Session, agent, tool};

use crate::answers::answers;

/// How often it paid, and whether it never says so.
#[derive(Default)]
struct Bank {
    paid: AtomicU32,
    hangs: AtomicBool,
}

/// Pays.
#[tool(approval, effect = idempotent)]
async fn pay(bank: Provided<Bank>) -> &'static str {
    bank.paid.fetch_add(1, Ordering::Relaxed);
    if bank.hangs.load(Ordering::Relaxed) {
        pending::<()>().await;
    }
    "paid"
}

/// Looks around.
#[tool]
fn look() -> &'static str {
    "a lamp"
}

/// Never ends.
#[tool]
async fn stall() {
    pending::<()>().await;
}

agent! { Teller { description: "Serves.", instruction: "Serve.", function_tools: [pay, look, stall] } }

agent! { Head { instruction: "Lead.", agents: [Teller] } }

/// Calls the tool that the input names, and always with the same id. The model of the head lets its teller pay.
fn model() -> impl Model {
    answers(|request, _| {
        let last = request.messages.last().unwrap();
        if !last.is_input() {
            return Ok(ModelResponse::text("Done."));
        }
        let text = last.to_text();
        let is_head = request.tools.iter().any(|tool| &*tool.name == "agent__Teller");
        let call = |tool: &str, args: &str| ToolCall::new("c1", tool, args);
        Ok(ModelResponse::tool_calls(match is_head {
            true => vec![call("agent__Teller", r#"{"input": "pay"}"#)],
            false if text == "pay" => vec![call("pay", "{}"), ToolCall::new("c2", "look", "{}")],
            false => vec![call(&text, "{}")],
        }))
    })
}

async fn teller(store: &Arc<MemorySessions>, bank: &Arc<Bank>) -> AgentHandle {
    let builder = Teller::builder().model(model()).provide_shared(Arc::clone(bank));
    builder.session_store(Arc::clone(store)).build().await.unwrap()
}

fn pause(result: Result<RunOutput, RunError>) -> Paused {
    match result {
        Err(RunError::Paused(paused)) => paused,
        other => panic!("{other:?}"),
    }
}

fn texts(session: &Session) -> Vec<String> {
    session.history().check().unwrap();
    session.history().iter().map(|message| message.to_text().into_owned()).collect()
}

/// What the store says of a call that never ends.
async fn reported_stall(store: &Arc<MemorySessions>, teller: &AgentHandle, session: &Session) -> String {
    let before = store.read("a", 0).await.unwrap().len();
    let mut run = Box::pin(teller.request("stall").session(session).run());
    loop {
        assert!(futures_util::poll!(&mut run).is_pending());
        let records = store.read("a", 0).await.unwrap();
        if records[before..].iter().any(|record| record.to_json().unwrap().contains("\"stall\"")) {
            break;
        }
        tokio::task::yield_now().await;
    }
    let read = Sessions::new(Arc::clone(store)).read("a").await.unwrap();
    read.content.history().last().unwrap().to_text().into_owned()
}

#[tokio::test]
async fn u2_only_the_calls_that_waited_are_reported_as_not_run() {
    let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
    let teller = teller(&store, &bank).await;
    let session = teller.open_session("a").await.unwrap();
    pause(teller.request("pay").session(&session).run().await);
    session.give_up().await.unwrap();
    let reported = texts(&session);
    assert!(
        reported[2].contains("not run: it waited for a person") && reported[2].contains("a lamp"),
        "{reported:?}"
    );

    // The call of the child has the same id.
    let head = Head::builder().model(model()).provide_shared(bank);
    let head = head.session_store(Arc::clone(&store)).build().await.unwrap();
    let session = head.open_session("head").await.unwrap();
    pause(head.request("Serve.").session(&session).run().await);
    session.give_up().await.unwrap();
    let reported = texts(&session);
    assert!(
        !reported[2].contains("not run") && reported[2].contains("may have taken effect"),
        "{reported:?}"
    );
}

#[tokio::test]
async fn u2_a_call_that_waited_is_not_taken_for_a_later_one_with_its_id() {
    for is_approved in [false, true] {
        let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
        let teller = teller(&store, &bank).await;
        let session = teller.open_session("a").await.unwrap();
        let paused = pause(teller.request("pay").session(&session).run().await);
        if is_approved {
            let key = paused.questions()[0].key();
            teller.resume(&paused).session(&session).answer(key, Answer::allow()).run().await.unwrap();
        } else {
            session.give_up().await.unwrap();
        }
        Sessions::new(Arc::clone(&store)).rewind("a", 0).await.unwrap();
        session.reload().await.unwrap();
        let reported = reported_stall(&store, &teller, &session).await;
        assert!(reported.contains("may have taken effect"), "{is_approved}: {reported}");
    }
}

#[tokio::test]
async fn u2_forks_and_earlier_places_say_that_the_run_was_given_up() {
    let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
    let teller = teller(&store, &bank).await;
    let session = teller.open_session("a").await.unwrap();
    pause(teller.request("pay").session(&session).run().await);
    session.give_up().await.unwrap();
    teller.request("look").session(&session).run().await.unwrap();
    let sessions = Sessions::new(Arc::clone(&store));
    sessions.fork("a", "b", 3).await.unwrap();
    sessions.rewind("a", 3).await.unwrap();
    for id in ["a", "b"] {
        let read = sessions.read(id).await.unwrap();
        let reported = read.content.history().last().unwrap().to_text().into_owned();
        assert!(reported.contains("not run: it waited for a person"), "{reported}");
    }
}

#[tokio::test]
async fn u2_an_answered_call_whose_run_was_given_up_may_have_run() {
    let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
    let teller = teller(&store, &bank).await;
    let session = teller.open_session("a").await.unwrap();
    let paused = pause(teller.request("pay").session(&session).run().await);
    let key = paused.questions()[0].key();
    bank.hangs.store(true, Ordering::Relaxed);
    let mut resumed = Box::pin(teller.resume(&paused).session(&session).answer(key, Answer::allow()).run());
    // Killed after the payment.
    while bank.paid.load(Ordering::Relaxed) == 0 {
        assert!(futures_util::poll!(&mut resumed).is_pending());
        tokio::task::yield_now().await;
    }
    std::mem::forget(resumed);
    let copy = Arc::new(MemorySessions::default());
    crate::runs::copy_records(&store, &copy, "a").await;
    let later = self::teller(&copy, &bank).await;
    let session = later.open_session("a").await.unwrap();
    session.give_up().await.unwrap();
    let reported = texts(&session);
    assert!(reported[2].contains("may have taken effect"), "{reported:?}");
}
