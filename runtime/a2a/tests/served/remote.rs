//! Remote agents as children, against our own server and against servers with mistakes.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use onionskin::a2a::{Remote, RemoteError, Server};
use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, Question};
use onionskin::{App, CancellationToken, RunError, ScriptedModel, ScriptedTurn, Secret};
use serde_json::json;

use crate::client::{Binding, Client, answer, message, reply, state};
use crate::{agent, asker, serve, serve_asker};

/// A parent that asks its remote child, and repeats the answer.
fn desk(remote: &Remote) -> DynAgent {
    let child = remote.clone().agent("Painter", "Paints.");
    DynAgent::new("Desk", move || AgentDeclaration::new().instruction("Ask.").dyn_child(&child))
}

fn asks(input: &str) -> ScriptedModel {
    let call = ScriptedTurn::call("agent__Painter", json!({ "input": input }));
    ScriptedModel::new().agent("Desk", [call, ScriptedTurn::say("It says: {last}")])
}

#[tokio::test]
async fn o6_a_remote_agent_answers_as_a_child() {
    let remote = Remote::new(serve_asker().await).unwrap();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("stream")).build().await.unwrap();
    assert_eq!(app.run("Paint.").await.unwrap().text, "It says: one two three");
}

#[tokio::test]
async fn o6_a_question_of_a_remote_agent_is_a_question_of_the_run() {
    let remote = Remote::new(serve_asker().await).unwrap();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("Paint it")).build().await.unwrap();
    let Err(RunError::Paused(paused)) = app.run("Paint.").await else { panic!("it pauses") };
    let question = &paused.questions()[0];
    assert_eq!(question.text(), Some("Which colour?"));
    // The message is not sent again: the task that waits gets the answer.
    let output =
        app.resume(&paused).answer(question.key(), Answer::value("red").unwrap()).run().await.unwrap();
    assert_eq!(output.text, "It says: You chose red.");

    let answerer = |question: Question| async move { Answer::value(question.text()?.len().to_string()).ok() };
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("Paint it")).answerer(answerer);
    assert_eq!(app.build().await.unwrap().run("Paint.").await.unwrap().text, "It says: You chose 13.");
}

#[tokio::test]
async fn o6_a_replay_sends_no_message_again() {
    let url = serve_asker().await;
    let remote = Remote::new(&url).unwrap();
    let app =
        App::builder().dyn_agent(&desk(&remote)).model(asks("stream")).journal(MemoryJournal::default());
    let app = app.build().await.unwrap();
    for _ in 0..2 {
        let output = app.request("Paint.").run_id("paint-1").run().await.unwrap();
        assert_eq!(output.text, "It says: one two three");
        let listed = Client::new(&url, Binding::Rpc).list(&[]).await.unwrap();
        assert_eq!(listed["totalSize"], 1);
    }
}

#[tokio::test]
async fn o6_a_served_agent_passes_the_questions_of_its_remote_child_on() {
    let remote = Remote::new(serve_asker().await).unwrap();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("Paint it")).build().await.unwrap();
    let url = serve(|url| Server::new(app.agent("Desk").unwrap().clone(), url)).await;
    let client = Client::new(&url, Binding::Rpc);
    let asked = client.send(message("Paint.")).await.unwrap();
    assert_eq!(asked["status"]["message"]["parts"][0]["text"], "Which colour?");
    let done = client.send(reply(&asked, "green")).await.unwrap();
    assert_eq!(answer(&done), "It says: You chose green.");
}

#[tokio::test]
async fn o6_a_cancelled_run_cancels_the_task_of_its_remote_child() {
    let url = serve_asker().await;
    let remote = Remote::new(&url).unwrap();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("slow")).build().await.unwrap();
    let token = CancellationToken::new();
    let run = tokio::spawn(app.request("Paint.").cancellation(token.clone()).run());
    let client = Client::new(&url, Binding::Rpc);
    let task = loop {
        let listed = client.list(&[("status", "TASK_STATE_WORKING")]).await.unwrap();
        if let Some(task) = listed["tasks"].get(0) {
            break task.clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    // The client has read an event with the id of the task.
    tokio::time::sleep(Duration::from_millis(200)).await;
    token.cancel();
    assert!(matches!(run.await.unwrap(), Err(RunError::Cancelled { .. })));
    assert_eq!(state(&client.until(&task, "CANCELED").await), "CANCELED");
}

#[tokio::test]
async fn o6_a_remote_agent_that_fails_is_an_error_of_the_call() {
    let remote = Remote::new(serve_asker().await).unwrap();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("fail")).build().await.unwrap();
    let text = app.run("Paint.").await.unwrap().text;
    assert!(text.contains("the task of the remote agent is failed"), "{text}");

    let elsewhere = asker().await;
    let url = serve(|_| Server::new(elsewhere, "https://other.example")).await;
    let remote = Remote::new(&url).unwrap();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("stream")).build().await.unwrap();
    let text = app.run("Paint.").await.unwrap().text;
    assert!(text.contains("its interface is on another host"), "{text}");
}

/// Serves an agent that answers each message with this body.
async fn serve_answer(
    status: StatusCode,
    headers: [(&'static str, &'static str); 1],
    body: String,
) -> String {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let interface =
        json!({ "url": format!("{url}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    // Nothing else of the card is needed.
    let card =
        json!({ "supportedInterfaces": [interface], "capabilities": { "streaming": true } }).to_string();
    let app = Router::new()
        .route("/.well-known/agent-card.json", get(async || card))
        .route("/rpc", post(async move || (status, headers, body)));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    url
}

#[tokio::test]
async fn o6_an_answer_that_breaks_the_protocol_is_an_error_that_says_how() {
    let json = [("content-type", "application/json")];
    let events = [("content-type", "text/event-stream")];
    let ok = StatusCode::OK;
    let result =
        |result: serde_json::Value| json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
    let update = json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": { "artifactId": "a", "parts": [{ "text": "x" }] }, "append": true } });
    let other = json!({ "statusUpdate": { "taskId": "u", "contextId": "c", "status": {} } });
    let task =
        json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } });
    let asks_login = json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_AUTH_REQUIRED" } } });
    let quick =
        json!({ "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "quick" }] } });
    let event = |result_of: serde_json::Value| format!("data: {}\n\n", result(result_of));
    let cases = [
        (ok, json, result(quick.clone()), "It says: quick"),
        (ok, events, event(quick), "It says: quick"),
        (ok, json, "no JSON".to_owned(), "does not follow the protocol"),
        (ok, json, result(json!({})), "neither a message nor a task"),
        (ok, json, result(asks_login), "auth-required"),
        (
            ok,
            json,
            json!({ "error": { "code": -32004, "message": "no\u{1b}[31m" } }).to_string(),
            "(-32004): no\\u{1b}[31m",
        ),
        (ok, events, event(update), "an artifact is continued that did not begin"),
        (ok, events, format!("{}{}", event(task), event(other)), "an event is of another task"),
        (ok, events, String::new(), "the stream ended early"),
        (ok, events, format!("data: {}", "x".repeat(5 << 20)), "more than 4194304 bytes"),
        (StatusCode::UNAUTHORIZED, json, "{}".to_owned(), "the status 401"),
        (
            StatusCode::TEMPORARY_REDIRECT,
            [("location", "http://127.0.0.1:1/")],
            String::new(),
            "the status 307",
        ),
    ];
    for (status, headers, body, expected) in cases {
        let shown: String = body.chars().take(200).collect();
        let remote = Remote::new(serve_answer(status, headers, body).await).unwrap();
        let app = App::builder().dyn_agent(&desk(&remote)).model(asks("stream")).build().await.unwrap();
        let text = app.run("Paint.").await.unwrap().text;
        assert!(text.contains(expected), "{shown}: {text}");
    }
}

#[tokio::test]
async fn o6_a_remote_agent_has_limits_of_time_and_length() {
    let remote = Remote::new(serve_asker().await).unwrap();
    for (remote, input, expected) in [
        (remote.clone().timeout(Duration::from_millis(300)), "slow", "did not answer within 300ms"),
        (remote.clone().max_bytes(1_000), "long", "more than 1000 bytes"),
    ] {
        let app = App::builder().dyn_agent(&desk(&remote)).model(asks(input)).build().await.unwrap();
        let text = app.run("Paint.").await.unwrap().text;
        assert!(text.contains(expected), "{text}");
    }
}

/// A remote agent whose task asks for ever, and the methods that it got.
async fn serve_asking() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let interface =
        json!({ "url": format!("{url}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    let card = json!({ "supportedInterfaces": [interface] }).to_string();
    let methods = Arc::new(Mutex::new(Vec::new()));
    let called = Arc::clone(&methods);
    let rpc = async move |body: String| {
        let request: serde_json::Value = serde_json::from_str(&body).unwrap();
        called.lock().unwrap().push(request["method"].as_str().unwrap().to_owned());
        let task = json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_INPUT_REQUIRED" } });
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": task } }).to_string()
    };
    let app = Router::new()
        .route("/.well-known/agent-card.json", get(async || card))
        .route("/rpc", post(async move |body: String| rpc(body).await));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, methods)
}

#[tokio::test]
async fn o6_a_remote_agent_that_asks_for_ever_is_left_and_its_task_canceled() {
    let (url, methods) = serve_asking().await;
    let remote = Remote::new(&url).unwrap();
    let answerer = async |_: Question| Answer::value("red").ok();
    let app = App::builder().dyn_agent(&desk(&remote)).model(asks("Paint it")).answerer(answerer);
    let text = app.build().await.unwrap().run("Paint.").await.unwrap().text;
    assert!(text.contains("asked more than 20 questions"), "{text}");
    let methods = methods.lock().unwrap().clone();
    assert_eq!((methods.len(), &*methods[20], &*methods[21]), (22, "SendMessage", "CancelTask"));
}

#[tokio::test]
async fn o6_credentials_are_sent_and_shown_nowhere() {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let routes = Server::new(asker().await, &url).router().unwrap();
    let check = async |request: axum::extract::Request, next: axum::middleware::Next| match request
        .headers()
        .get("authorization")
    {
        Some(token) if token == "Bearer t0ken-1234" => next.run(request).await,
        _ => axum::response::IntoResponse::into_response(StatusCode::FORBIDDEN),
    };
    let app = routes.layer(axum::middleware::from_fn(check));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });

    let remote = Remote::new(&url).unwrap();
    let with_token =
        remote.clone().header("authorization", Secret::new("Bearer t0ken-1234".to_owned())).unwrap();
    assert!(!format!("{with_token:?}").contains("t0ken"));
    // A server that repeats the credentials without their scheme.
    let json = [("content-type", "application/json")];
    let url = serve_answer(StatusCode::FORBIDDEN, json, "not t0ken-1234".to_owned()).await;
    let repeated = Remote::new(&url).unwrap();
    let repeated = repeated.header("authorization", Secret::new("Bearer t0ken-1234".to_owned())).unwrap();
    let app = App::builder().dyn_agent(&desk(&repeated)).model(asks("stream")).build().await.unwrap();
    let text = app.run("Paint.").await.unwrap().text;
    assert!(text.contains("the status 403") && !text.contains("t0ken-1234"), "{text}");
    for (remote, expected) in [(remote, "the status 403"), (with_token, "It says: one two three")] {
        let app = App::builder().dyn_agent(&desk(&remote)).model(asks("stream")).build().await.unwrap();
        let text = app.run("Paint.").await.unwrap().text;
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn o6_wrong_addresses_and_headers_are_refused_when_they_are_set() {
    for url in ["", "weather", "ftp://a.b", "https://", "https://ada:secret@a.b"] {
        let error = Remote::new(url).unwrap_err();
        assert!(matches!(error, RemoteError::Url { .. }), "{url}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let header =
        |name, value: &str| Remote::new("https://a.b").unwrap().header(name, Secret::new(value.to_owned()));
    assert!(matches!(header("a b", "c").unwrap_err(), RemoteError::Header { .. }));
    let error = header("authorization", "secret\n").unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn o6_a_card_that_clients_refuse_is_an_error_of_the_program() {
    use onionskin::a2a::{CardError, Skill};
    let asker = agent::Asker::builder().model(agent::Words).build().await.unwrap();
    for url in ["", "/clerk", "clerk.example", "ftp://clerk.example", "https://clerk.example?a=b"] {
        assert!(matches!(Server::new(asker.clone(), url).router(), Err(CardError::Url { .. })), "{url}");
    }
    let skill = Skill::new("paint", "", "Paints.");
    let error = Server::new(asker, "https://a.b").skill(skill).router().unwrap_err();
    assert!(error.to_string().contains("has an empty name of a skill"), "{error}");
}
