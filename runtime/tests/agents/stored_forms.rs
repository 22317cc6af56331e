//! What programs store of sessions. Earlier files are read, and what is not understood is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::content::{ContentBlock, Image, Media};
use onionskin::model::{History, Message, ModelResponse, ToolCall, ToolResultMessage};
use onionskin::run::{SavedSession, SavedSessionError};
use onionskin::{ScriptedModel, ScriptedTurn, Secret, Session, SessionState, State, agent, tool};
use serde_json::{Value, json};

/// How often the tool ran.
#[derive(Clone, Default)]
pub(crate) struct Count(pub(crate) Arc<AtomicU32>);

/// Adds one, and keeps the sum.
#[tool]
fn add_one(count: State<Count>, values: SessionState, x: i64) -> i64 {
    count.0.fetch_add(1, Ordering::SeqCst);
    values.set("sums.last", x + 1);
    x + 1
}

agent! {
    pub(crate) Adder { name: "adder", description: "Adds.", instruction: "Add.", state: Count, function_tools: [add_one] }
    Head { name: "head", instruction: "Ask.", state: Count, agents: [Adder], history_merge_target: child }
}

fn adds() -> [ScriptedTurn; 2] {
    [ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("It is {last}.")]
}

/// A conversation with each kind of message.
fn talk() -> History {
    let mut asked = ModelResponse::tool_calls([
        ToolCall::new("call_1", "look", r#"{"at": "sky"}"#),
        ToolCall::new("call_2", "look", "{}"),
    ]);
    "Let me see.".clone_into(&mut asked.text);
    asked.provider_data = Some(json!({ "signature": "c2ln", "share": 0.1 }));
    let dot = Image(Media::new("iVBORw0KGgo=", "image/png"));
    let mut failed = ToolResultMessage::new("call_2", "look", ["`at` is missing".into()]);
    failed.is_error = true;
    History::from([
        Message::user_content([ContentBlock::text("Which colour is it?"), dot.clone().into()]),
        asked.into(),
        Message::tool([ToolResultMessage::new("call_1", "look", ["blue".into(), dot.into()]), failed]),
        Message::assistant("It is blue: \"Grüße\"."),
    ])
}

async fn session_of_head() -> Session {
    let asks = [ScriptedTurn::call("agent__adder", json!({ "input": "41" })), ScriptedTurn::say("{last}")];
    let model = ScriptedModel::new().agent("head", asks).agent("adder", adds());
    let head = Head::builder().state(Count::default()).model(model).build().await.unwrap();
    let session = head.session();
    head.request("41 + 1?").session(&session).run().await.unwrap();
    session
}

#[tokio::test]
async fn o5_a_saved_session_is_restored_with_all_that_it_holds() {
    let session = session_of_head().await;
    assert_eq!(session.child_history("adder").len(), 4);
    let asked = session.history();
    session.set_history(talk()).unwrap();
    let saved = session.save().without_states();
    let text = serde_json::to_string(&saved).unwrap();
    assert_eq!(SavedSession::from_json(&text).unwrap(), saved);
    assert_eq!(serde_json::from_str::<SavedSession>(&text).unwrap(), saved);
    assert_eq!((saved.history(), saved.values()), (&talk(), &json!({ "sums": { "last": 42 } })));

    let other = session_of_head().await;
    other.state().set("mine", 1);
    other.restore(SavedSession::from_json(&text).unwrap()).unwrap();
    assert_eq!(other.history(), talk());
    assert_eq!(other.child_history("adder"), session.child_history("adder"));
    assert_eq!(other.state().to_value(), json!({ "sums": { "last": 42 } }));
    assert_ne!(asked, talk());
}

/// What the till holds.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Till {
    coins: u32,
    note: String,
}

/// Takes money.
#[tool]
fn take(amount: u32, till: State<Till>) {
    till.update(|till| till.coins += amount);
}

agent! { Clerk { instruction: "Take the money.", state: Till, function_tools: [take] } }

async fn session_of_clerk() -> (onionskin::AgentHandle, Session) {
    let turns = [ScriptedTurn::call("take", json!({ "amount": 5 })), ScriptedTurn::say("Thank you.")];
    let till = Till { coins: 1, note: "hunter2-token".to_owned() };
    let clerk = Clerk::builder().state(till).model(ScriptedModel::turns(turns)).build().await.unwrap();
    let session = clerk.session();
    (clerk, session)
}

#[tokio::test]
async fn o5_a_typed_state_is_saved_and_restored() {
    let (clerk, session) = session_of_clerk().await;
    clerk.request("Here are five.").session(&session).run().await.unwrap();
    session.state().set_secret("api.key", Secret::new("hunter2-token".to_owned()));
    let saved = session.save();
    let text = serde_json::to_string(&saved).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(SavedSession::from_json(&text).unwrap(), saved);

    let (_, later) = session_of_clerk().await;
    later.restore(saved.clone().without_states()).unwrap();
    assert_eq!(later.typed_state::<Till>().unwrap().coins, 1);
    later.restore(SavedSession::from_json(&text).unwrap()).unwrap();
    assert_eq!(later.typed_state::<Till>().unwrap().coins, 6);

    // What does not fit changes nothing.
    later.set_typed_state(Till { coins: 9, note: String::new() }).unwrap();
    for (from, to, problem) in [
        (
            "\"coins\":6",
            "\"coins\":\"six\"",
            "stored_forms::Till` of the saved session cannot be read: invalid type",
        ),
        (
            "stored_forms::Till",
            "stored_forms::Purse",
            "stored_forms::Purse`, and the agents of this session do not: they have `",
        ),
    ] {
        let error = later.restore(SavedSession::from_json(&text.replace(from, to)).unwrap()).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
        assert_eq!(later.typed_state::<Till>().unwrap().coins, 9);
    }
    // The next call sees the new state.
    clerk.request("Here are five.").session(&later).run().await.unwrap_err();
    later.set_history([]).unwrap();
    clerk.request("Here are five.").session(&later).run().await.unwrap();
    assert_eq!(later.typed_state::<Till>().unwrap().coins, 14);
    let error = later.set_typed_state(Count::default()).unwrap_err();
    assert!(error.to_string().starts_with("the session has no state `"), "{error}");
}

#[tokio::test]
async fn o5_a_typed_state_that_cannot_be_saved_is_an_error_and_can_be_left_out() {
    let session = session_of_head().await;
    let error = serde_json::to_string(&session.save()).unwrap_err().to_string();
    assert!(
        error.contains(
            "stored_forms::Count` cannot be saved: derive `serde::Serialize` and `serde::Deserialize`"
        ),
        "{error}"
    );
    assert!(error.contains("`session.save().without_states()`"), "{error}");
    assert!(matches!(session.restore(session.save()), Err(SavedSessionError::UnsavedState { .. })));
    session.restore(session.save().without_states()).unwrap();
}

#[tokio::test]
async fn o5_a_restored_session_goes_on() {
    let adder = |turns: Vec<ScriptedTurn>| {
        Adder::builder().state(Count::default()).model(ScriptedModel::turns(turns))
    };
    let first = adder(adds().into()).build().await.unwrap();
    let session = first.session();
    first.request("41").session(&session).run().await.unwrap();
    let text = serde_json::to_string(&session.save().without_states()).unwrap();

    let model =
        Arc::new(ScriptedModel::turns([adds().to_vec(), vec![ScriptedTurn::say("So it was.")]].concat()));
    let later = Adder::builder().state(Count::default()).model(Arc::clone(&model)).build().await.unwrap();
    let session = later.session();
    session.restore(SavedSession::from_json(&text).unwrap()).unwrap();
    let output = later.request("Really?").session(&session).run().await.unwrap();
    assert_eq!(output.text, "So it was.");
    assert_eq!(model.requests()[0].messages.len(), 5);
}

#[tokio::test]
async fn o5_a_saved_session_shows_no_secret() {
    let session = session_of_head().await;
    session.state().set_secret("api.key", Secret::new("hunter2-token".to_owned()));
    session.state().set("note", "it is hunter2-token");
    let called =
        ModelResponse::tool_calls([ToolCall::new("call_1", "hunter2-token", r#"{"x": "hunter2-token"}"#)]);
    let result = ToolResultMessage::new("call_1", "hunter2-token", ["hunter2-token".into()]);
    session.set_history([Message::user("hunter2-token"), called.into(), Message::tool([result])]).unwrap();
    let saved = session.save().without_states();
    assert_eq!(saved.history().len(), 3);
    let text = serde_json::to_string(&saved).unwrap();
    assert!(!text.contains("hunter2") && !format!("{saved:?}").contains("hunter2"), "{text}");
    assert_eq!(saved.values()["note"], "it is [secret]");
}

#[tokio::test]
async fn o5_signed_data_of_a_provider_is_saved_unchanged() {
    let session = session_of_head().await;
    session.state().set_secret("api.key", Secret::new("hunter2-token".to_owned()));
    let mut said = ModelResponse::text("It is hunter2-token.");
    let signed = json!({ "signature": "hunter2-token" });
    said.provider_data = Some(signed.clone());
    session.set_history([said.into()]).unwrap();
    let saved = serde_json::to_value(session.save().without_states()).unwrap();
    assert_eq!(saved["history"][0]["provider_data"], signed);
    assert_eq!(saved["history"][0]["text"], "It is [secret].");
}

#[tokio::test]
async fn o5_a_saved_session_that_is_not_understood_is_refused() {
    let session = session_of_head().await;
    session.set_history(talk()).unwrap();
    let saved = serde_json::to_value(session.save().without_states()).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut stored = saved.clone();
        change(&mut stored);
        SavedSession::from_json(&stored.to_string()).unwrap_err()
    };
    let version = changed(&|stored| stored["version"] = 2.into());
    assert!(matches!(version, SavedSessionError::Version { found: 2, .. }), "{version}");
    assert_eq!(changed(&|stored| *stored = json!([[], {}])), SavedSessionError::NoVersion);
    let unknown = |change: &dyn Fn(&mut Value)| match changed(change) {
        SavedSessionError::UnknownField { field, .. } => field,
        error => panic!("{error}"),
    };
    assert_eq!(unknown(&|stored| stored["mood"] = 1.into()), "mood");
    assert_eq!(unknown(&|stored| stored["history"][1]["mood"] = 1.into()), "history[1].mood");
    let deep = unknown(&|stored| stored["history"][2]["results"][1]["mood"] = 1.into());
    assert_eq!(deep, "history[2].results[1].mood");
    let child = unknown(&|stored| stored["children"]["adder"][0]["mood"] = 1.into());
    assert_eq!(child, "children.adder[0].mood");

    let refused = |change: &dyn Fn(&mut Value)| changed(change).to_string();
    let block =
        refused(&|stored| stored["history"][0]["content"][1] = json!({ "type": "smell", "of": "rain" }));
    assert!(
        block.starts_with("`history[0].content[1].type` of the saved session cannot be read:"),
        "{block}"
    );
    let role = refused(&|stored| stored["history"][0]["role"] = "oracle".into());
    assert!(
        role.starts_with(
            "`history[0]` of the saved session cannot be read: expected one of `user`, `assistant`, `tool`"
        ),
        "{role}"
    );
    let missing = refused(&|stored| drop(stored.as_object_mut().unwrap().remove("values")));
    assert_eq!(missing, "`values` of the saved session cannot be read: it is missing");
    let list = refused(&|stored| stored["values"] = json!([1]));
    assert!(list.starts_with("`values` of the saved session cannot be read: expected an object"), "{list}");
    session.state().replace(json!([1]));
    assert_eq!(serde_json::to_string(&session.save().without_states()).unwrap_err().to_string(), list);
    let cut = SavedSession::from_json(&saved.to_string()[..40]).unwrap_err();
    assert!(matches!(cut, SavedSessionError::NotJson { .. }), "{cut}");
}

#[test]
fn o5_the_error_of_a_saved_session_quotes_no_value() {
    let long = "sk-secret-123, expected ".repeat(100_000);
    let part = |field: &str, value: Value| {
        let mut stored = json!({ "version": 1, "history": [], "values": {}, "children": {} });
        stored[field] = value;
        SavedSession::from_json(&stored.to_string()).unwrap_err().to_string()
    };
    let user = |content: Value| json!([{ "role": "user", "content": content }]);
    let texts = [
        part("version", json!(long)),
        part("history", json!(long)),
        part("history", json!([long])),
        part("history", json!([{ "role": long }])),
        part("history", user(json!(long))),
        part("history", json!([{ "role": "user", long.as_str(): 1 }])),
        part("history", user(json!([{ "type": "text", "text": "Hi.", long.as_str(): 1 }]))),
        part("children", json!(long)),
        part("children", json!({ "adder": long })),
        part("children", json!({ long.as_str(): 1 })),
        part(&long, json!(1)),
        SavedSession::from_json(&format!("{{\"version\": 1, \"a\": {long}")).unwrap_err().to_string(),
        serde_json::from_value::<SavedSession>(json!(long)).unwrap_err().to_string(),
    ];
    for (number, text) in texts.iter().enumerate() {
        assert!(text.len() < 400, "{number}: {} bytes: {}", text.len(), &text[..400]);
        let is_of_a_name = [6, 9, 10].contains(&number);
        assert!(is_of_a_name || !text.contains("sk-secret"), "{number}: {text}");
    }
    assert_eq!(texts[1], "`history` of the saved session cannot be read: expected a sequence");
    let twice = SavedSession::from_json(r#"{"version": 1, "values": 1, "values": 2}"#).unwrap_err();
    assert_eq!(
        twice.to_string(),
        "the saved session is not JSON: the key `values` occurs twice at line 1 column 36"
    );
}

#[tokio::test]
async fn o5_what_is_saved_can_be_read() {
    let session = session_of_head().await;
    let mut said = ModelResponse::text("Hello.");
    said.provider_data = Some(Value::Null);
    session.set_history([Message::user("Hi."), said.into()]).unwrap();
    // A list in as many lists as serde_json reads, under a key of as many parts as a state takes.
    let deep = (0..127).fold(Value::from(1), |inner, _| json!([inner]));
    session.state().set(&vec!["x"; 64].join("."), deep);
    let saved = session.save().without_states();
    let text = serde_json::to_string(&saved).unwrap();
    assert_eq!(SavedSession::from_json(&text).unwrap(), saved);
}

#[tokio::test]
async fn o5_a_session_with_too_many_levels_is_not_written() {
    let session = session_of_head().await;
    let levels = |count| (0..count).fold(Value::from("[["), |inner, _| json!([inner]));
    session.state().set("deep", levels(254));
    let text = serde_json::to_string(&session.save().without_states()).unwrap();
    assert_eq!(SavedSession::from_json(&text).unwrap(), session.save().without_states());
    session.state().set("deep", levels(255));
    let error = serde_json::to_string(&session.save().without_states()).unwrap_err();
    assert_eq!(error.to_string(), SavedSessionError::TooDeep.to_string());
    let text = text.replace("\"[[\"", "[\"[[\"]");
    assert_eq!(SavedSession::from_json(&text).unwrap_err(), SavedSessionError::TooDeep);
    assert_eq!(SavedSession::from_json(&"[".repeat(10_000_000)).unwrap_err(), SavedSessionError::TooDeep);
}

// ---- files of earlier builds: they are not written anew, because programs of users have such files ------------------------------

#[tokio::test]
async fn o5_a_session_that_an_earlier_build_saved_is_read() {
    let saved = SavedSession::from_json(include_str!("../data/stored/session-1.json")).unwrap();
    assert_eq!(saved.history(), &talk());
    assert_eq!(saved.values(), &json!({ "sums": { "last": 42 } }));
    let session = session_of_head().await;
    let child = session.child_history("adder");
    session.set_history([]).unwrap();
    session.restore(saved).unwrap();
    assert_eq!((session.history(), session.child_history("adder")), (talk(), child));
}
