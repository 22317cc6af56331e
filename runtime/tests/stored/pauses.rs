//! Answers of people in stored sessions: stored before they are used, and never lost, asked for twice or used twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::question::Answer;
use onionskin::run::IdempotencyKey;
use onionskin::sessions::{MemorySessions, SessionError, SessionStore};
use onionskin::{AgentHandle, Provided, RunError, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;
use tokio::time::timeout;

use crate::faults::{Fault, Faulty};

/// Pays once for each key.
#[derive(Default)]
struct Bank(Mutex<BTreeMap<String, u32>>);

impl Bank {
    fn paid(&self) -> u32 {
        self.0.lock().unwrap().values().sum()
    }
}

/// Pays.
#[tool(approval, effect = idempotent)]
fn pay(cents: u32, bank: Provided<Bank>, key: IdempotencyKey) -> String {
    bank.0.lock().unwrap().insert(key.to_string(), cents);
    format!("paid {cents}")
}

/// Looks around.
#[tool]
fn look() -> &'static str {
    "nothing"
}

agent! {
    Payer { instruction: "Pay.", function_tools: [pay, look] }
}

async fn payer(store: impl SessionStore, bank: &Arc<Bank>) -> AgentHandle {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("look", json!({})),
        ScriptedTurn::call("pay", json!({ "cents": 5 })).and_call("look", json!({})),
        ScriptedTurn::call("pay", json!({ "cents": 7 })),
        ScriptedTurn::say("Done."),
        ScriptedTurn::say("Yes?"),
    ]);
    let builder = Payer::builder().model(model).provide_shared(Arc::clone(bank)).session_store(store);
    builder.build().await.unwrap()
}

fn pause(result: Result<onionskin::RunOutput, RunError>) -> onionskin::question::Paused {
    match result {
        Err(RunError::Paused(paused)) => paused,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn u2_a_run_that_waits_continues_from_the_store() {
    let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
    let first = payer(Arc::clone(&store), &bank).await;
    let session = first.open_session("a").await.unwrap();
    let paused = pause(first.request("Pay both.").session(&session).run().await);
    assert_eq!(session.paused(), Some(paused));
    drop(session);

    for (key, paid) in [("5", 5), ("7", 12)] {
        let later = payer(Arc::clone(&store), &bank).await;
        let session = later.open_session("a").await.unwrap();
        let paused = session.paused().unwrap();
        assert_eq!(paused.questions()[0].arguments()["cents"].to_string(), key);
        let resumed =
            later.resume(&paused).session(&session).answer(paused.questions()[0].key(), Answer::allow());
        let result = resumed.run().await;
        assert_eq!(bank.paid(), paid);
        if paid == 12 {
            assert_eq!(result.unwrap().text, "Done.");
            assert_eq!(session.paused(), None);
            assert_eq!(session.history().len(), 8);
        } else {
            pause(result);
        }
    }
    let later = payer(Arc::clone(&store), &bank).await;
    let session = later.open_session("a").await.unwrap();
    session.history().check().unwrap();
    assert_eq!(later.request("Hello?").session(&session).run().await.unwrap().text, "Yes?");
}

#[tokio::test]
async fn u2_a_session_that_waits_takes_no_other_input_until_the_run_is_given_up() {
    let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
    let payer = payer(Arc::clone(&store), &bank).await;
    let session = payer.open_session("a").await.unwrap();
    let paused = pause(payer.request("Pay both.").session(&session).run().await);
    let error = payer.request("Hello?").session(&session).run().await.unwrap_err();
    let RunError::Session { source: SessionError::Waits { paused: waits, .. }, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(waits, paused);
    session.give_up().await.unwrap();
    assert_eq!((session.paused(), session.history().len()), (None, 5));
    session.history().check().unwrap();
    let key = paused.questions()[0].key();
    let error = payer.resume(&paused).session(&session).answer(key, Answer::allow()).run().await.unwrap_err();
    assert!(matches!(&error, RunError::Session { source: SessionError::NotWaiting { .. }, .. }), "{error}");
    assert_eq!(bank.paid(), 0);
}

/// Pays both amounts through a store that fails once, with a new process after each failure. Returns how often a person
/// answered, and the store.
async fn pay_both(number: usize, fault: Fault) -> (u32, Arc<Faulty>) {
    let (store, bank) = (Arc::new(MemorySessions::default()), Arc::new(Bank::default()));
    let faulty = Arc::new(Faulty::new(&store, number, fault));
    let (mut answered, mut answers) = (Vec::new(), 0);
    for _ in 0..10 {
        let payer = payer(Arc::clone(&faulty), &bank).await;
        let session = payer.open_session("a").await.unwrap();
        let ended = match session.paused() {
            None if session.history().len() == 8 => {
                session.history().check().unwrap();
                assert_eq!(bank.paid(), 12, "{fault:?} at append {number}");
                return (answers, faulty);
            }
            None => {
                // The run ended before it asked: begin anew, as a person would.
                session.set_history([]).unwrap();
                let request = payer.request("Pay both.").session(&session);
                timeout(Duration::from_secs(5), request.run()).await
            }
            Some(paused) => {
                let key = paused.questions()[0].key().to_owned();
                let mut request = payer.resume(&paused).session(&session);
                // A person whose answer was given is asked only if the run pauses with the same question again.
                if answered.last() == Some(&key) {
                    answered.pop();
                } else {
                    request = request.answer(key.clone(), Answer::allow());
                    answered.push(key);
                    answers += 1;
                }
                timeout(Duration::from_secs(5), request.run()).await
            }
        };
        match ended {
            // As after kill -9.
            Err(_) => tokio::time::sleep(Duration::from_secs(30)).await,
            Ok(Ok(_) | Err(RunError::Paused(_) | RunError::Session { .. } | RunError::Journal { .. })) => {}
            Ok(Err(error)) => panic!("{error}"),
        }
    }
    panic!("{fault:?} at append {number}: it never ends");
}

#[tokio::test(start_paused = true)]
async fn u2_an_answer_is_never_lost_and_used_once_whatever_append_fails() {
    for fault in [Fault::Fails, Fault::HangsBefore, Fault::HangsAfter] {
        let mut lost = 0;
        for number in 0.. {
            let (answers, faulty) = pay_both(number, fault).await;
            // Only an answer that the store never had is given again.
            let never_stored = faulty.lost_an_answer();
            lost += u32::from(never_stored);
            assert_eq!(answers, 2 + u32::from(never_stored), "{fault:?} at append {number}");
            if !faulty.has_failed() {
                assert!(number > 8, "{number} appends");
                break;
            }
        }
        assert_eq!(lost, if fault == Fault::HangsAfter { 0 } else { 2 });
    }
}
