//! Two handles with one store, as two processes with one file.

use std::sync::{Arc, OnceLock};

use onionskin::sessions::{MemorySessions, SessionError, SessionStoreError};
use onionskin::{AgentHandle, Provided, RunError, ScriptedModel, ScriptedTurn, Session, agent, tool};

agent! {
    Clerk { instruction: "Serve." }
}

async fn clerk(store: &Arc<MemorySessions>) -> AgentHandle {
    let turns = (0..100).map(|_| ScriptedTurn::say("I note: {input}"));
    Clerk::builder()
        .model(ScriptedModel::turns(turns))
        .session_store(Arc::clone(store))
        .build()
        .await
        .unwrap()
}

fn inputs(session: &Session) -> Vec<String> {
    let history = session.history();
    history.iter().step_by(2).map(|message| message.to_text().into_owned()).collect()
}

/// Two handles, and a session in which one ran, and then the other.
async fn changed_elsewhere() -> ([AgentHandle; 2], [Session; 2]) {
    let store = Arc::new(MemorySessions::default());
    let (one, other) = (clerk(&store).await, clerk(&store).await);
    let session = one.open_session("a").await.unwrap();
    one.request("1").session(&session).run().await.unwrap();
    let elsewhere = other.open_session("a").await.unwrap();
    other.request("2").session(&elsewhere).run().await.unwrap();
    ([one, other], [session, elsewhere])
}

#[tokio::test(start_paused = true)]
async fn a12_runs_of_one_session_take_turns_across_processes() {
    let store = Arc::new(MemorySessions::default());
    let (one, other) = (clerk(&store).await, clerk(&store).await);
    let run = async |handle: &AgentHandle, number: usize| {
        let session = handle.open_session("a").await.unwrap();
        handle.request(format!("{number}")).session(&session).run().await.unwrap();
    };
    let runs = (0..20).map(|number| run(if number % 2 == 0 { &one } else { &other }, number));
    futures_util::future::join_all(runs).await;
    let session = one.open_session("a").await.unwrap();
    session.history().check().unwrap();
    let mut inputs = inputs(&session);
    inputs.sort_by_key(|text| text.parse::<usize>().unwrap());
    assert_eq!(inputs, (0..20).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a12_a_session_that_is_opened_again_has_what_others_appended() {
    let ([one, other], [session, elsewhere]) = changed_elsewhere().await;
    assert_eq!(inputs(&session), ["1"]);
    one.open_session("a").await.unwrap();
    assert_eq!(inputs(&session), ["1", "2"]);

    // What is not stored stays.
    session.state().set("mine", true);
    other.request("3").session(&elsewhere).run().await.unwrap();
    one.open_session("a").await.unwrap();
    assert_eq!((inputs(&session).len(), session.state().get("mine")), (2, Some(true.into())));

    // Also where nothing was stored yet.
    let session = one.open_session("b").await.unwrap();
    session.state().set("mine", true);
    let elsewhere = other.open_session("b").await.unwrap();
    other.request("1").session(&elsewhere).run().await.unwrap();
    one.open_session("b").await.unwrap();
    assert_eq!((inputs(&session).len(), session.state().get("mine")), (0, Some(true.into())));
}

/// Opens the session of its run.
#[tool]
async fn open_again(desk: Provided<OnceLock<AgentHandle>>) -> String {
    let session = desk.get().unwrap().open_session("a").await.unwrap();
    session.state().get("mine").unwrap_or_default().to_string()
}

#[tokio::test(start_paused = true)]
async fn a12_a_session_with_a_run_in_progress_is_opened_as_it_is() {
    agent! { Reader { instruction: "Read.", function_tools: [open_again] } }
    let model = ScriptedModel::turns([
        ScriptedTurn::call("open_again", serde_json::json!({})),
        ScriptedTurn::say("{last}"),
    ]);
    let desk = Arc::new(OnceLock::new());
    let builder = Reader::builder().model(model).session_store(MemorySessions::default());
    let reader = builder.provide_shared(Arc::clone(&desk)).build().await.unwrap();
    desk.set(reader.clone()).unwrap();
    let session = reader.open_session("a").await.unwrap();
    session.state().set("mine", 7);
    assert_eq!(reader.request("Go.").session(&session).run().await.unwrap().text, "7");
}

#[tokio::test(start_paused = true)]
async fn a12_a_writer_whose_session_was_changed_gets_an_error_and_loses_nothing() {
    let ([one, other], [session, elsewhere]) = changed_elsewhere().await;

    session.state().set("mine", true);
    let error = one.request("3").session(&session).run().await.unwrap_err();
    let is_told = matches!(
        &error,
        RunError::Session { source: SessionError::Store(SessionStoreError::Changed { .. }), .. }
    );
    assert!(is_told, "{error}");
    assert_eq!(session.state().get("mine"), Some(true.into()));
    session.reload().await.unwrap();
    assert_eq!(inputs(&session), ["1", "2"]);
    one.request("3").session(&session).run().await.unwrap();
    other.request("4").session(&elsewhere).run().await.unwrap();
    assert_eq!(inputs(&elsewhere), ["1", "2", "3", "4"]);
}
