//! A10: `#[message_hook]` and `message_hooks` of `agent!`.

use std::sync::{Arc, Mutex};

use onionskin::message_hooks::{Delivery, Participant, SentMessage, message_hook};
use onionskin::model::{History, Message};
use onionskin::{App, BuildError, Provided, RunContext, RunError, ScriptedModel, ScriptedTurn, State, agent};
use serde_json::json;

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Desk {
    count: usize,
    word: String,
}

#[derive(Default)]
struct Sink(Mutex<Vec<String>>);

/// Replaces a word that is in the state.
#[message_hook(process_message_before_send, state = Desk)]
fn hide(#[bind(word)] word: String, message: &mut SentMessage) {
    message.set_text(message.text().replace(&word, "[..]"));
}

/// Writes to the service who sends what.
#[message_hook(process_message_before_send)]
async fn letters(
    #[config] mark: &str,
    sink: &Provided<Sink>,
    recipient: &Participant,
    sender: &Participant,
    text: &SentMessage,
    silent: bool,
) -> Result<(), &'static str> {
    tokio::task::yield_now().await;
    sink.0.lock().unwrap().push(format!("{mark}{sender}>{recipient}: {} {silent}", text.text()));
    Ok(())
}

/// Drops what the agent says of a kind.
#[message_hook(process_message_before_send)]
fn discreet(sender: &Participant, message: &SentMessage) -> Delivery {
    match sender {
        Participant::Agent(_) if message.text().contains("gossip") => Delivery::Drop,
        _ => Delivery::Send,
    }
}

/// Counts the messages.
#[message_hook(update_agent_state)]
fn count(desk: State<Desk>, messages: &History) {
    desk.update(|desk| desk.count = messages.len());
}

/// Marks the newest message with the agent's name.
#[message_hook(process_last_received_message)]
fn marks(run: &RunContext, message: &mut Message) {
    if let Message::User { .. } = message {
        *message = Message::user(format!("{} for {}", message.to_text(), run.agent().name()));
    }
}

/// Shows the newest messages only.
#[message_hook(process_all_messages_before_reply, type_name = Newest)]
fn newest(#[config] most: usize, messages: &mut History) -> Result<(), String> {
    if most == 0 {
        return Err("one message at least".to_owned());
    }
    let start = messages.len().saturating_sub(most);
    *messages = messages.iter().skip(start).cloned().collect::<Vec<_>>().into();
    Ok(())
}

agent! {
    Clerk {
        instruction: "{count} messages.",
        state: Desk,
        message_hooks: [hide, letters("* "), count, marks, Newest(1)],
    }
    Plain { instruction: "Answer.", description: "Answers." }
    Boss { instruction: "Ask.", agents: [Plain] }
}

fn desk() -> Desk {
    Desk { word: "k-17".to_owned(), ..Desk::default() }
}

#[tokio::test]
async fn a10_functions_run_at_their_places_with_state_services_and_values() {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("It is k-17.")]));
    let sink = Arc::new(Sink::default());
    let clerk = Clerk::builder().model(Arc::clone(&model)).state(desk()).provide_shared(Arc::clone(&sink));
    let clerk = clerk.build().await.unwrap();
    let session = clerk.session();
    assert_eq!(clerk.request("k-17?").session(&session).run().await.unwrap().text, "It is [..].");
    assert_eq!(clerk.request("Thanks.").session(&session).run().await.unwrap().text, "It is [..].");
    let requests = model.requests();
    let asked: Vec<_> = requests
        .iter()
        .map(|request| {
            (request.system.as_deref().unwrap(), request.messages.iter().map(Message::to_text).collect())
        })
        .collect::<Vec<(_, Vec<_>)>>();
    assert_eq!(
        asked,
        [("1 messages.", vec!["[..]? for Clerk".into()]), ("3 messages.", vec!["Thanks. for Clerk".into()]),]
    );
    let letters = sink.0.lock().unwrap().clone();
    assert_eq!(
        letters,
        [
            "* user>Clerk: [..]? false",
            "* Clerk>user: It is [..]. false",
            "* user>Clerk: Thanks. false",
            "* Clerk>user: It is [..]. false",
        ]
    );
}

#[tokio::test]
async fn a10_a_function_drops_a_message_and_its_error_names_the_place() {
    let model = || ScriptedModel::turns([ScriptedTurn::say("Some gossip.")]);
    let error = Plain::builder().model(model()).message_hook(discreet::new()).run("Well?").await.unwrap_err();
    assert!(matches!(error, RunError::MessageDropped { .. }), "{error}");
    let error = Plain::builder().model(model()).message_hook(Newest::new(0)).run("Well?").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the message hook `Newest` of the agent `Plain` failed in `process_all_messages_before_reply`: one message at least"
    );
}

#[tokio::test]
async fn a10_a_program_adds_hooks_to_agents_by_name() {
    let model = || {
        let ask = ScriptedTurn::call("agent__Plain", json!({ "input": "Well?" }));
        ScriptedModel::new()
            .agent("Boss", [ask, ScriptedTurn::say("{last}")])
            .agent("Plain", [ScriptedTurn::say("Got {input}")])
    };
    let boss = Boss::builder().model(model()).for_agent("Plain", |agent| agent.message_hook(marks::new()));
    assert_eq!(boss.run("Go.").await.unwrap().text, "Got Well? for Plain");
    let app = App::builder()
        .model(model())
        .agent::<Boss>()
        .for_agent("Plain", |agent| agent.message_hook(marks::new()));
    let app = app.build().await.unwrap();
    assert_eq!(app.agent("Boss").unwrap().run("Go.").await.unwrap().text, "Got Well? for Plain");
}

#[tokio::test]
async fn a10_building_an_agent_reports_what_its_message_hooks_lack() {
    let model = || ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
    let error = Plain::builder().model(model()).message_hook(letters::new("")).build().await.unwrap_err();
    assert!(error.to_string().contains("the message hook `letters`"), "{error}");
    let error = Boss::builder()
        .model(model())
        .for_agent("Plain", |agent| agent.message_hook(count::new()))
        .build()
        .await
        .unwrap_err();
    assert!(matches!(error, BuildError::HookState { .. }), "{error}");
}
