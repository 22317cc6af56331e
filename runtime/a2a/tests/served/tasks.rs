//! The life of tasks: contexts, users, ends, limits.

use std::time::Duration;

use onionskin::question::{AskError, CallerRequest};
use onionskin::run_hooks::OutputCheckError;
use onionskin::sessions::MemorySessions;
use onionskin::{ScriptedModel, ScriptedTurn, ToolContext, a2a, agent, run_hook, tool};
use serde_json::{Value, json};

use crate::client::{Binding, Client, answer, both, message, reply, state, words};
use crate::{agent, serve, serve_asker, serve_limited};

fn in_context(task: &Value, text: &str) -> Value {
    let mut message = message(text);
    message["contextId"] = task["contextId"].clone();
    message
}

#[tokio::test]
async fn o6_a_canceled_task_ends_its_run_and_its_streams() {
    let url = serve_asker().await;
    for client in both(&url) {
        let mut stream = client.stream(message("slow work")).await.unwrap();
        let task = stream.next().await.unwrap()["task"].clone();
        // What the model has written so far is shown.
        while stream.next().await.unwrap()["artifactUpdate"].is_null() {}
        let canceled = client.cancel(&task).await.unwrap();
        assert_eq!((state(&canceled), answer(&canceled)), ("CANCELED", "I begin. "));
        assert_eq!(words(&stream.all().await), ["status:CANCELED"]);
        assert_eq!(client.cancel(&task).await.unwrap_err().1, "TASK_NOT_CANCELABLE");
        assert_eq!(client.send(reply(&task, "more")).await.unwrap_err().1, "UNSUPPORTED_OPERATION");
        // The run has ended: the next one of its context begins at once.
        let next = client.send(in_context(&task, "count")).await.unwrap();
        assert_eq!(state(&next), "COMPLETED");

        let asked = client.send(message("Paint it")).await.unwrap();
        assert_eq!(state(&client.cancel(&asked).await.unwrap()), "CANCELED");
        let next = client.send(in_context(&asked, "count")).await.unwrap();
        assert_eq!(state(&next), "COMPLETED", "{next}");
    }
}

#[tokio::test]
async fn o6_a_task_goes_on_without_a_listener() {
    let url = serve_asker().await;
    for client in both(&url) {
        let mut stream = client.stream(message("stream")).await.unwrap();
        let task = stream.next().await.unwrap()["task"].clone();
        drop(stream);
        assert_eq!(answer(&client.until(&task, "COMPLETED").await), "one two three");
    }
}

#[tokio::test]
async fn o6_the_failure_of_a_run_shows_nothing_of_the_inside() {
    let url = serve_asker().await;
    for client in both(&url) {
        let failed = client.send(message("fail")).await.unwrap();
        assert_eq!(state(&failed), "FAILED");
        assert!(!failed.to_string().contains("db.internal"), "{failed}");
        assert!(
            failed["status"]["message"]["parts"][0]["text"].as_str().unwrap().contains("could not answer")
        );
    }
}

#[tokio::test]
async fn o6_messages_of_one_context_are_one_conversation() {
    let url = serve_asker().await;
    for client in both(&url) {
        let first = client.send(message("count")).await.unwrap();
        let second = client.send(in_context(&first, "count")).await.unwrap();
        assert_eq!((answer(&first), answer(&second)), ("1 messages", "3 messages"));
        assert_ne!(first["id"], second["id"]);
        // A client may choose the id.
        let mut own = message("Paint it");
        own["contextId"] = json!(format!("own {:?}", client.binding));
        let asked = client.send(own.clone()).await.unwrap();
        assert_eq!(asked["contextId"], own["contextId"]);
        // The run that waits would continue without the messages of another one.
        assert_eq!(client.send(own).await.unwrap_err().1, "UNSUPPORTED_OPERATION");
        let mut other = reply(&asked, "red");
        other["contextId"] = json!("another");
        assert_eq!(client.send(other).await.unwrap_err().1, "INVALID_PARAMS");
    }
}

#[tokio::test]
async fn o6_each_user_has_own_tasks_and_own_contexts() {
    let url = serve_asker().await;
    for client in both(&url) {
        let (ada, bob) = (client.clone().user("ada"), client.clone().user("bob"));
        let asked = ada.send(message("Paint it")).await.unwrap();
        for stranger in [&bob, &client] {
            assert_eq!(stranger.get(&asked).await.unwrap_err().1, "TASK_NOT_FOUND");
            assert_eq!(stranger.cancel(&asked).await.unwrap_err().1, "TASK_NOT_FOUND");
            assert_eq!(stranger.subscribe(&asked).await.err().unwrap().1, "TASK_NOT_FOUND");
            assert_eq!(stranger.send(reply(&asked, "red")).await.unwrap_err().1, "TASK_NOT_FOUND");
            let listed = stranger.list(&[]).await.unwrap();
            assert!(listed["tasks"].as_array().unwrap().iter().all(|task| task["id"] != asked["id"]));
            // The same context of another user is another conversation.
            let own = stranger.send(in_context(&asked, "count")).await.unwrap();
            assert_eq!(answer(&own), "1 messages");
        }
        assert_eq!(state(&ada.get(&asked).await.unwrap()), "INPUT_REQUIRED");
        ada.cancel(&asked).await.unwrap();
    }
}

#[tokio::test]
async fn o6_tasks_are_listed_in_pages_with_the_newest_first() {
    let url = serve_asker().await;
    for client in both(&url) {
        let client = client.user("lister");
        let mut context = json!(null);
        for text in ["count", "count", "pay"] {
            let mut next = message(text);
            next["contextId"] = context;
            context = client.send(next).await.unwrap()["contextId"].clone();
        }
        let context = context.as_str().unwrap();
        let first = client
            .list(&[("contextId", context), ("pageSize", "2"), ("includeArtifacts", "true")])
            .await
            .unwrap();
        assert_eq!((&first["totalSize"], &first["pageSize"]), (&json!(3), &json!(2)));
        let tasks = first["tasks"].as_array().unwrap();
        assert_eq!(tasks.iter().map(state).collect::<Vec<_>>(), ["INPUT_REQUIRED", "COMPLETED"]);
        assert_eq!(answer(&tasks[1]), "3 messages");
        let token = first["nextPageToken"].as_str().unwrap();
        let second =
            client.list(&[("contextId", context), ("pageSize", "2"), ("pageToken", token)]).await.unwrap();
        assert_eq!((second["tasks"].as_array().unwrap().len(), &second["nextPageToken"]), (1, &json!("")));
        assert!(second["tasks"][0].get("artifacts").is_none());
        let waits =
            client.list(&[("contextId", context), ("status", "TASK_STATE_INPUT_REQUIRED")]).await.unwrap();
        assert_eq!(waits["totalSize"], 1);
        let later = client.list(&[("statusTimestampAfter", "2100-01-01T00:00:00Z")]).await.unwrap();
        assert_eq!(later["totalSize"], 0);
        for wrong in [
            ("pageSize", "0"),
            ("pageSize", "101"),
            ("statusTimestampAfter", "soon"),
            ("historyLength", "-1"),
        ] {
            assert_eq!(client.list(&[wrong]).await.unwrap_err().1, "INVALID_PARAMS", "{wrong:?}");
        }
    }
}

#[tokio::test]
async fn o6_tasks_and_answers_have_limits() {
    let url = serve_limited(|limits| {
        (limits.tasks, limits.tasks_of_user, limits.running, limits.answer_bytes) = (3, 2, 2, 4_000);
    })
    .await;
    let client = Client::new(&url, Binding::Rest);
    let (ada, bob) = (client.clone().user("ada"), client.clone().user("bob"));
    let long = ada.send(message("long")).await.unwrap();
    assert_eq!((state(&long), answer(&long)), ("FAILED", ""));
    // The oldest of a user leave, and those of others stay.
    let kept = bob.send(message("count")).await.unwrap();
    ada.send(message("count")).await.unwrap();
    ada.send(message("count")).await.unwrap();
    assert_eq!(ada.get(&long).await.unwrap_err().1, "TASK_NOT_FOUND");
    assert_eq!(state(&bob.get(&kept).await.unwrap()), "COMPLETED");
    // Tasks that have not ended stay.
    let slow = [ada.begin("slow").await, ada.begin("slow").await];
    assert_eq!(ada.send(message("count")).await.unwrap_err(), (429, "RESOURCE_EXHAUSTED".to_owned()));
    assert_eq!(bob.send(message("count")).await.unwrap_err().0, 429, "two of two are at work");
    ada.cancel(&slow[0]).await.unwrap();
    for _ in 0..100 {
        // The place is free when the run has ended.
        if bob.send(message("count")).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the canceled run holds its place");
}

#[tokio::test]
async fn o6_one_user_leaves_room_for_others() {
    let url = serve_limited(|limits| {
        (limits.running_of_user, limits.streams_of_user) = (1, 1);
        limits.stored_bytes_of_user = 200_000;
    })
    .await;
    let client = Client::new(&url, Binding::Rest);
    let (ada, bob) = (client.clone().user("ada"), client.clone().user("bob"));
    let busy = (429, "RESOURCE_EXHAUSTED".to_owned());
    let slow = ada.begin("slow").await;
    assert_eq!(ada.send(message("count")).await.unwrap_err(), busy);
    assert!(bob.send(message("count")).await.is_ok());
    let stream = ada.subscribe(&slow).await.unwrap();
    assert_eq!(ada.subscribe(&slow).await.err().unwrap(), busy);
    ada.cancel(&slow).await.unwrap();
    drop(stream);

    // Tasks that wait are bounded by their bytes, whatever the bytes are in.
    let mut long = message("Paint it");
    long["metadata"] = json!({ "note": "x".repeat(150_000) });
    let first = bob.send(long.clone()).await.unwrap();
    let second = bob.send(long.clone()).await.unwrap();
    assert_eq!((state(&first), state(&second)), ("INPUT_REQUIRED", "INPUT_REQUIRED"));
    assert_eq!(bob.send(long.clone()).await.unwrap_err(), busy);
    assert_eq!(bob.send(reply(&first, "red")).await.unwrap_err(), busy);
    bob.cancel(&second).await.unwrap();
    assert_eq!(answer(&bob.send(reply(&first, "red")).await.unwrap()), "You chose red.");
    assert_eq!(state(&ada.until(&slow, "CANCELED").await), "CANCELED");
}

#[tokio::test]
async fn o6_answers_that_are_refused_take_no_room_for_ever() {
    let url = serve_limited(|limits| limits.stored_bytes = 3 << 20).await;
    let client = Client::new(&url, Binding::Rpc);
    let (ada, bob) = (client.clone().user("ada"), client.user("bob"));
    let asked = ada.send(message("pay")).await.unwrap();
    for _ in 0..10 {
        let again = ada.send(reply(&asked, &"x".repeat(500_000))).await.unwrap();
        assert_eq!(state(&again), "INPUT_REQUIRED");
    }
    assert_eq!(state(&bob.send(message("count")).await.unwrap()), "COMPLETED");
}

#[tokio::test]
async fn o6_a_task_that_waits_too_long_is_canceled_and_an_old_one_is_removed() {
    let url = serve_limited(|limits| {
        (limits.wait, limits.keep) = (Duration::from_millis(300), Duration::from_millis(600));
    })
    .await;
    let client = Client::new(&url, Binding::Rpc);
    let asked = client.send(message("Paint it")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(350)).await;
    assert_eq!(state(&client.get(&asked).await.unwrap()), "CANCELED");
    tokio::time::sleep(Duration::from_millis(650)).await;
    assert_eq!(client.get(&asked).await.unwrap_err().1, "TASK_NOT_FOUND");
}

#[tokio::test]
async fn o6_a_context_of_an_agent_with_a_store_goes_on_after_a_restart() {
    let store = std::sync::Arc::new(MemorySessions::default());
    let mut context = json!("kept");
    for expected in ["1 messages", "6 messages"] {
        let asker = agent::Asker::builder().model(agent::Words).session_store(store.clone());
        let asker = asker.build().await.unwrap();
        let url = serve(|url| a2a::Server::new(asker, url)).await;
        let client = Client::new(&url, Binding::Rpc).user("ada");
        let mut next = message("count");
        next["contextId"] = context;
        let done = client.send(next).await.unwrap();
        assert_eq!(answer(&done), expected);
        context = done["contextId"].clone();
        // The run that waits ends with the server: the next one gives it up.
        let mut asks = message("Paint it");
        asks["contextId"] = context;
        let asked = client.send(asks).await.unwrap();
        assert_eq!(state(&asked), "INPUT_REQUIRED");
        if expected == "6 messages" {
            assert_eq!(answer(&client.send(reply(&asked, "red")).await.unwrap()), "You chose red.");
        }
        context = asked["contextId"].clone();
    }
}

/// Asks whether an account is right.
#[tool(asks)]
async fn check(cx: &ToolContext, account: String) -> Result<String, AskError> {
    let is_right: bool = cx.ask(format!("Is the account of {} letters right?", account.len())).await?;
    Ok(is_right.to_string())
}

/// Has the client make a call.
#[tool(external)]
fn fetch(path: String) -> String;

/// Needs the folders of the client.
#[tool(asks)]
async fn folders(cx: &ToolContext) -> Result<String, AskError> {
    cx.ask_caller("folders", CallerRequest::new("roots/list", json!({ "inside": "of us" })))
        .await
        .map(|roots| roots.to_string())
}

agent! { Teller { instruction: "Ask.", function_tools: [check, fetch, folders] } }

#[tokio::test]
async fn o6_a_question_shows_nothing_of_the_call_that_asks() {
    for (call, args, shown) in [
        ("check", json!({ "account": "inside-7" }), "Is the account of 8 letters right?"),
        ("fetch", json!({ "path": "outside" }), "outside"),
    ] {
        let model = ScriptedModel::turns([ScriptedTurn::call(call, args)]);
        let teller = Teller::builder().model(model).build().await.unwrap();
        let url = serve(|url| a2a::Server::new(teller, url)).await;
        let asked = Client::new(&url, Binding::Rpc).send(message("Go.")).await.unwrap();
        assert_eq!(state(&asked), "INPUT_REQUIRED", "{asked}");
        let text = asked["status"]["message"].to_string();
        assert!(text.contains(shown) && !text.contains("inside-7"), "{text}");
    }
}

#[tokio::test]
async fn o6_what_no_client_can_answer_is_declined() {
    let model = ScriptedModel::turns([ScriptedTurn::call("folders", json!({})), ScriptedTurn::say("{last}")]);
    let teller = Teller::builder().model(model).build().await.unwrap();
    let url = serve(|url| a2a::Server::new(teller, url)).await;
    let done = Client::new(&url, Binding::Rpc).send(message("Go.")).await.unwrap();
    assert_eq!(state(&done), "COMPLETED", "{done}");
    assert!(answer(&done).contains("a client of A2A does not answer `roots/list`"), "{done}");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "it is read by the client")]
struct Sum {
    total: i64,
}

agent! { Adder { instruction: "Add.", output: Sum } }

/// Looks something up.
#[tool]
async fn look_up() -> String {
    // The text before the call is shown meanwhile.
    tokio::time::sleep(Duration::from_millis(100)).await;
    "found".to_owned()
}

agent! { Finder { instruction: "Find.", function_tools: [look_up] } }

#[tokio::test]
async fn o6_the_text_of_an_earlier_turn_is_replaced_by_the_answer() {
    let mut looks = ScriptedTurn::call("look_up", json!({}));
    looks.say = "I look.".to_owned();
    let model = ScriptedModel::turns([looks, ScriptedTurn::say("It is {last}.")]);
    let finder = Finder::builder().model(model).build().await.unwrap();
    let url = serve(|url| a2a::Server::new(finder, url)).await;
    let client = Client::new(&url, Binding::Rpc);
    let events = client.stream(message("Where?")).await.unwrap().all().await;
    let pieces: Vec<_> = events.iter().filter_map(|event| event.get("artifactUpdate")).collect();
    let text = |piece: &Value| piece["artifact"]["parts"][0]["text"].as_str().unwrap().to_owned();
    let mut shown = Vec::new();
    for piece in pieces {
        if piece["append"] == true {
            shown.last_mut().map(|whole: &mut String| whole.push_str(&text(piece))).unwrap();
        } else {
            shown.push(text(piece));
        }
    }
    assert_eq!(shown, ["I look.", "It is found."]);
    assert_eq!(answer(&client.get(&events[0]["task"]).await.unwrap()), "It is found.");
}

/// Refuses each answer.
#[run_hook(post)]
async fn refuse() -> Result<(), OutputCheckError> {
    // The text is shown meanwhile.
    tokio::time::sleep(Duration::from_millis(100)).await;
    Err(OutputCheckError::new("it is secret"))
}

agent! { Guarded { instruction: "Answer.", run_hooks: [refuse] } }

#[tokio::test]
async fn o6_an_answer_that_a_hook_refuses_is_taken_back() {
    let model = ScriptedModel::new().agent("Guarded", vec![ScriptedTurn::say("The code is 7."); 2]);
    let guarded = Guarded::builder().model(model).build().await.unwrap();
    let url = serve(|url| a2a::Server::new(guarded, url)).await;
    let client = Client::new(&url, Binding::Rpc);
    let refused = client.send(message("Which code?")).await.unwrap();
    assert_eq!(state(&refused), "REJECTED");
    assert!(!refused.to_string().contains("code is 7"), "{refused}");
    let events = client.stream(message("Which code?")).await.unwrap().all().await;
    let update = |event: &Value| event.get("artifactUpdate").cloned();
    let last = events.iter().rev().find_map(update).unwrap();
    assert_eq!((&last["append"], &last["artifact"]["parts"]), (&Value::Null, &json!([{ "text": "" }])));
    assert!(!client.list(&[("includeArtifacts", "true")]).await.unwrap().to_string().contains("code is 7"));
    // An empty message is a mistake of the client.
    assert_eq!(state(&client.send(message("")).await.unwrap()), "REJECTED");
}

#[tokio::test]
async fn o6_a_typed_answer_is_a_value_too() {
    let model = ScriptedModel::turns([ScriptedTurn::say(r#"{"total": 42}"#)]);
    let adder = Adder::builder().model(model).build().await.unwrap();
    let url = serve(|url| a2a::Server::new(adder, url)).await;
    let done = Client::new(&url, Binding::Rest).send(message("41 + 1?")).await.unwrap();
    let parts = &done["artifacts"][0]["parts"];
    assert_eq!(
        (&parts[1]["data"], &parts[1]["mediaType"]),
        (&json!({ "total": 42 }), &json!("application/json"))
    );
}
