//! Sessions: who may go on in one, and in which order.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

use onionskin::{App, RunError, Script, ScriptedTurn, Secret, State, agent, tool};
use serde_json::json;

#[derive(Clone)]
struct Till(u32);

/// Counts the till.
#[tool]
fn count(till: State<Till>) -> u32 {
    till.update(|till| till.0 += 1);
    till.latest().0
}

agent! {
    Teller { name: "teller", default: true, instruction: "Count.", state: Till, function_tools: [count] }
    Manager { name: "manager", instruction: "Ask.", agents: [Teller] }
    Guest { name: "guest", instruction: "Talk." }
}

fn counts() -> Script {
    Script::new()
        .agent("teller", [ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last}")])
        .agent(
            "manager",
            [ScriptedTurn::call("agent__teller", json!({ "input": "x" })), ScriptedTurn::say("{last}")],
        )
        .agent("guest", [ScriptedTurn::say("hello"), ScriptedTurn::say("again")])
}

#[tokio::test]
async fn a12_a_session_without_the_agents_state_is_refused() {
    let guest = Guest::builder().model(counts()).build().await.unwrap();
    let teller = Teller::builder().model(counts()).state(Till(0)).build().await.unwrap();
    let manager = Manager::builder().model(counts()).state(Till(0)).build().await.unwrap();
    for agent in [&teller, &manager] {
        let session = guest.session();
        let error = agent.request("go").session(&session).run().await.unwrap_err();
        let RunError::NoState { agent, state } = &error else { panic!("{error}") };
        assert_eq!((&**agent, *state), ("teller", std::any::type_name::<Till>()), "also as a child");
        assert_eq!(
            error.to_string(),
            "the session holds no `sessions::Till`, which is the state of the agent `teller`: another agent made it; make \
             one with `AgentHandle::session` of the agent that is to go on in it"
        );
        assert!(session.history().is_empty());
    }
    assert_eq!(teller.request("go").session(&teller.session()).run().await.unwrap().text, "1");
}

#[tokio::test]
async fn a12_a_session_of_another_agent_does_if_it_holds_the_states() {
    let app = App::builder().agent::<Teller>().agent::<Guest>().model(counts()).state(Till(0)).build();
    let app = app.await.unwrap();
    let (teller, guest) = (app.entry(), app.agent("guest").unwrap());
    let session = guest.session();
    assert_eq!(teller.request("go").session(&session).run().await.unwrap().text, "1");
    // A script counts the turns of a session, whoever had them.
    session.set_history(Vec::new());
    let manager = Manager::builder().model(counts()).state(Till(7)).build().await.unwrap();
    assert_eq!(manager.request("go").session(&session).run().await.unwrap().text, "2", "the session's state");
    // Who needs no state needs no session that holds any.
    let stateless = Guest::builder().model(counts()).build().await.unwrap().session();
    assert_eq!(guest.request("go").session(&stateless).run().await.unwrap().text, "hello");
}

#[tokio::test]
async fn t8_an_agent_keeps_its_secrets_in_the_session_of_another() {
    let secret = "the-guests-own-key";
    let model = Script::turns([ScriptedTurn::say(format!("it is {secret}"))]);
    let guest = Guest::builder().model(model).conceal(&Secret::from(secret)).build().await.unwrap();
    let other = Guest::builder().model(counts()).build().await.unwrap();
    let output = guest.request("go").session(&other.session()).run().await.unwrap();
    assert_eq!(output.text, "it is [secret]");
}
