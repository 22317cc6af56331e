//! Agents over plain HTTP.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use onionskin::serve::{Http, Server};
use onionskin::sessions::MemorySessions;
use onionskin::{AgentHandle, ScriptedModel, ScriptedTurn, agent, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::desk::{Ledger, payer};
use crate::site::{Site, header, tokens};

/// What to weigh.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Parcel {
    /// The weight in grams.
    grams: u32,
}

/// Waits.
#[tool]
async fn wait() -> String {
    tokio::time::sleep(Duration::from_mins(5)).await;
    "waited".to_owned()
}

/// Breaks.
#[tool]
fn break_it(key: String) -> String {
    panic!("the vault does not open with {key}")
}

agent! {
    /// Breaks.
    Breaker { instruction: "Break.", function_tools: [break_it] }
    /// Weighs parcels.
    Scale { instruction: "Weigh.", input: Parcel }
    /// Waits.
    Sleeper { instruction: "Wait.", function_tools: [wait] }
    /// Remembers.
    Keeper { instruction: "Remember." }
}

async fn sleeper() -> AgentHandle {
    let turns = [ScriptedTurn::call("wait", json!({})), ScriptedTurn::say("Done.")];
    Sleeper::builder().model(ScriptedModel::turns(turns)).build().await.unwrap()
}

async fn keeper() -> AgentHandle {
    let turns = [ScriptedTurn::say("It was {input}."), ScriptedTurn::say("Now {input}.")];
    let builder = Keeper::builder().model(ScriptedModel::turns(turns));
    builder.session_store(Arc::new(MemorySessions::default())).build().await.unwrap()
}

async fn site(configure: impl FnOnce(Http) -> Http) -> Site {
    let ledger: Arc<Ledger> = Arc::default();
    let scale = Scale::builder().model(ScriptedModel::turns([ScriptedTurn::say("Got {input}.")]));
    let server = Server::builder("desk", "1.2.3")
        .agent(&payer(&ledger).await)
        .agent(&scale.build().await.unwrap())
        .agent(&sleeper().await)
        .agent(&keeper().await);
    Site::with(&server.build().await.unwrap(), ledger, |http| configure(http.api())).await
}

fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The status of an answer and its JSON.
async fn ask(site: &Site, method: &str, path: &str, headers: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let (status, answer) = site.answer(&request(method, path, headers, &body)).await;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    let kind = if status < 300 { "application/json" } else { "application/problem+json" };
    if !body.is_empty() {
        assert_eq!(header(&answer, "content-type"), Some(kind), "{answer}");
    }
    (status, serde_json::from_str(body).unwrap_or_default())
}

async fn post(site: &Site, path: &str, body: &Value) -> (u16, Value) {
    ask(site, "POST", path, "", body).await
}

const ADA: &str = "Authorization: Bearer ada-token\r\n";
const BOB: &str = "Authorization: Bearer bob-token\r\n";

#[tokio::test]
async fn o6_a_run_gets_a_text_or_a_typed_input() {
    let site = site(|http| http).await;
    let (status, run) = post(&site, "/agents/Keeper/runs", &json!({ "input": "a lamp" })).await;
    assert_eq!((status, &run["status"], &run["text"]), (200, &json!("completed"), &json!("It was a lamp.")));
    let (status, run) = post(&site, "/agents/Scale/runs", &json!({ "input": { "grams": 250 } })).await;
    assert_eq!(status, 200, "{run}");
    assert!(run["text"].as_str().unwrap().contains("250"), "{run}");
    let (status, problem) =
        post(&site, "/agents/Scale/runs", &json!({ "input": { "grams": "heavy" } })).await;
    assert_eq!(status, 422, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("grams"), "{problem}");
    let (status, problem) = post(&site, "/agents/Scale/runs", &json!({ "input": "heavy" })).await;
    assert_eq!(status, 422, "{problem}");
}

#[tokio::test]
async fn o6_wrong_requests_get_a_problem_that_says_what_to_send() {
    let site = site(|http| http).await;
    let good = json!({ "input": "a lamp" });
    for (method, path, body, status, word) in [
        ("POST", "/agents/Nobody/runs", &good, 404, "GET /agents"),
        ("POST", "/agents/%ff/runs", &good, 400, "path"),
        ("GET", "/agents/Keeper/runs", &Value::Null, 405, "openapi.json"),
        ("GET", "/nowhere", &Value::Null, 404, "openapi.json"),
        ("POST", "/agents/Keeper/runs", &json!({ "input": "a", "sesion": "b" }), 422, "sesion"),
        ("POST", "/agents/Keeper/runs", &json!({ "inputs": "a" }), 422, "inputs"),
        ("POST", "/agents/Keeper/runs", &json!({ "input": 5 }), 422, "input"),
        ("POST", "/agents/Keeper/runs", &json!({ "input": "" }), 422, "input"),
        ("POST", "/agents/Scale/runs", &json!({ "input": { "grams": "1" } }), 422, "grams"),
        ("POST", "/agents/Keeper/runs", &json!([]), 422, "an object"),
        ("POST", "/agents/Keeper/runs", &json!(["a lamp", null]), 422, "an object"),
        ("POST", "/agents/Payer/answers", &json!(["x", {}, null]), 422, "an object"),
        ("POST", "/agents/Scale/runs", &json!({ "input": { "grams": 1 }, "session": "s" }), 422, "session"),
        ("DELETE", "/runs/1", &Value::Null, 404, "no such run"),
        ("GET", "/agents/Keeper/sessions/none", &Value::Null, 404, "no such session"),
        ("POST", "/agents/Payer/answers", &json!({ "state": "x", "answers": {} }), 409, "state"),
    ] {
        let (found, problem) = ask(&site, method, path, "", body).await;
        assert_eq!(found, status, "{method} {path}: {problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(word), "{method} {path}: {problem}");
    }
    let text = "POST /agents/Keeper/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(site.answer(text).await.0, 415);
    let html = request("POST", "/agents/Keeper/runs", "Accept: text/html\r\n", &good.to_string());
    assert_eq!(site.answer(&html).await.0, 406);
    let (_, other_method) = site.answer(&request("PUT", "/agents/Keeper/runs", "", "")).await;
    assert_eq!(header(&other_method, "allow"), Some("POST"), "{other_method}");
    let not_json = request("POST", "/agents/Keeper/runs", "", "{");
    assert_eq!(site.answer(&not_json).await.0, 422);
}

#[tokio::test]
async fn o6_events_are_streamed_and_the_last_one_is_the_run() {
    let site = site(|http| http).await;
    let body = json!({ "input": "a lamp" }).to_string();
    let (status, answer) =
        site.answer(&request("POST", "/agents/Keeper/runs", "Accept: text/event-stream\r\n", &body)).await;
    assert_eq!((status, header(&answer, "content-type")), (200, Some("text/event-stream")));
    let id = header(&answer, "run-id").unwrap().to_owned();
    let events: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!((events.first(), events.last()), (Some(&"text_delta"), Some(&"run")), "{answer}");
    let last = answer.lines().rev().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let run: Value = serde_json::from_str(last).unwrap();
    assert_eq!((&run["id"], &run["text"]), (&json!(id), &json!("It was a lamp.")));
}

#[tokio::test]
async fn o6_a_call_that_waits_for_an_answer_is_not_finished() {
    let site = site(|http| http).await;
    let body = json!({ "input": "Pay." }).to_string();
    let (_, answer) =
        site.answer(&request("POST", "/agents/Payer/runs", "Accept: text/event-stream\r\n", &body)).await;
    assert!(answer.contains("event: tool_started") && answer.contains(r#""status":"waiting""#), "{answer}");
    assert!(!answer.contains("event: tool_finished"), "{answer}");
}

#[tokio::test]
async fn o6_a_run_waits_for_answers_and_continues() {
    let site = site(tokens).await;
    let (status, run) = ask(&site, "POST", "/agents/Payer/runs", ADA, &json!({ "input": "Pay." })).await;
    assert_eq!((status, &run["status"]), (200, &json!("waiting")), "{run}");
    let questions = run["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 2, "{run}");
    assert_eq!(questions[0]["arguments"], json!({ "cents": 5 }));
    let name = questions[0]["name"].as_str().unwrap();
    let answers = |answers: Value| json!({ "state": run["state"], "answers": answers });
    let allow = json!({ "approval": "allow" });
    let (status, problem) =
        ask(&site, "POST", "/agents/Payer/answers", ADA, &answers(json!({ "other": allow }))).await;
    assert_eq!(status, 422);
    assert!(problem["detail"].as_str().unwrap().contains(name), "{problem}");
    let (status, problem) =
        ask(&site, "POST", "/agents/Payer/answers", ADA, &answers(json!({ name: { "value": 5 } }))).await;
    assert_eq!(status, 422, "{problem}");
    let one = answers(json!({ name: allow }));
    assert_eq!(
        ask(&site, "POST", "/agents/Payer/answers", BOB, &one).await.0,
        409,
        "the state of another user"
    );
    assert_eq!(
        ask(&site, "POST", "/agents/Scale/answers", ADA, &one).await.0,
        409,
        "the state of another agent"
    );
    assert_eq!(site.ledger.paid.load(Ordering::SeqCst), 0);
    let (status, waiting) = ask(&site, "POST", "/agents/Payer/answers", ADA, &one).await;
    assert_eq!((status, waiting["questions"].as_array().unwrap().len()), (200, 1), "{waiting}");
    assert_eq!((&waiting["id"], site.ledger.paid.load(Ordering::SeqCst)), (&run["id"], 5));
    assert_eq!(ask(&site, "POST", "/agents/Payer/answers", ADA, &one).await.0, 409, "a state is used once");
    assert_eq!(site.ledger.paid.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn o6_a_streamed_run_is_cancelled_by_its_user_only() {
    let site = site(tokens).await;
    let body = json!({ "input": "Wait." }).to_string();
    let headers = format!("{ADA}Accept: text/event-stream\r\n");
    let mut stream = site.send(&request("POST", "/agents/Sleeper/runs", &headers, &body)).await;
    let mut text = String::new();
    while !text.contains("tool_started") {
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    let path = format!("/runs/{}", header(&text, "run-id").unwrap());
    assert_eq!(ask(&site, "DELETE", &path, BOB, &Value::Null).await.0, 404);
    assert_eq!(ask(&site, "DELETE", &path, ADA, &Value::Null).await.0, 204);
    let mut rest = String::new();
    tokio::time::timeout(Duration::from_secs(20), stream.read_to_string(&mut rest)).await.unwrap().unwrap();
    assert!(rest.contains("event: problem") && rest.contains("the run was cancelled"), "{rest}");
    assert_eq!(ask(&site, "DELETE", &path, ADA, &Value::Null).await.0, 404, "it has ended");
}

#[tokio::test]
async fn o6_a_session_continues_for_its_user_only() {
    let site = site(tokens).await;
    let run = |input: &str| json!({ "input": input, "session": "s-1" });
    let (status, first) = ask(&site, "POST", "/agents/Keeper/runs", ADA, &run("a lamp")).await;
    assert_eq!((status, &first["text"]), (200, &json!("It was a lamp.")), "{first}");
    assert_eq!(ask(&site, "GET", "/agents/Keeper/sessions/s-1", BOB, &Value::Null).await.0, 404);
    let (_, second) = ask(&site, "POST", "/agents/Keeper/runs", ADA, &run("a vase")).await;
    assert_eq!(second["text"], "Now a vase.", "{second}");
    let (status, session) = ask(&site, "GET", "/agents/Keeper/sessions/s-1", ADA, &Value::Null).await;
    assert_eq!((status, session["messages"].as_array().unwrap().len()), (200, 4), "{session}");
    assert_eq!(session["messages"][1], json!({ "role": "assistant", "text": "It was a lamp." }));
    let (_, other) = ask(&site, "POST", "/agents/Keeper/runs", BOB, &run("a cat")).await;
    assert_eq!(other["text"], "It was a cat.", "the same id is another session of another user");
    let (_, session) = ask(&site, "GET", "/agents/Keeper/sessions/s-1", ADA, &Value::Null).await;
    assert!(!session.to_string().contains("a cat"), "{session}");
}

#[tokio::test]
async fn o6_a_session_that_the_program_made_is_of_the_inside() {
    let keeper = keeper().await;
    let session = keeper.open_session("inner").await.unwrap();
    keeper.request("a secret").session(&session).run().await.unwrap();
    let server = Server::builder("desk", "1").agent(&keeper).build().await.unwrap();
    let site = Site::with(&server, Arc::default(), Http::api).await;
    let path = "/agents/Keeper/sessions/inner";
    assert_eq!(ask(&site, "GET", path, "", &Value::Null).await.0, 404);
    let body = json!({ "input": "a lamp", "session": "inner" });
    let (status, run) = post(&site, "/agents/Keeper/runs", &body).await;
    assert_eq!((status, &run["text"]), (200, &json!("It was a lamp.")), "{run}");
    let (_, shown) = ask(&site, "GET", path, "", &Value::Null).await;
    assert!(!shown.to_string().contains("secret"), "{shown}");
    assert_eq!(session.history().len(), 2);
}

#[tokio::test]
async fn o6_a_run_that_waits_in_a_session_gets_its_answer_there() {
    let site = site(tokens).await;
    let body = json!({ "input": "Pay.", "session": "bills" });
    let (status, run) = ask(&site, "POST", "/agents/Payer/runs", ADA, &body).await;
    assert_eq!((status, &run["status"]), (200, &json!("waiting")), "{run}");
    let (status, session) = ask(&site, "GET", "/agents/Payer/sessions/bills", ADA, &Value::Null).await;
    assert_eq!((status, &session["waiting"]["questions"]), (200, &run["questions"]), "{session}");
    assert_eq!(ask(&site, "POST", "/agents/Payer/runs", ADA, &body).await.0, 409, "it waits");
    let answers: serde_json::Map<String, Value> = run["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|question| (question["name"].as_str().unwrap().to_owned(), json!({ "approval": "allow" })))
        .collect();
    // A request that is refused uses nothing up.
    let body = json!({ "state": session["waiting"]["state"], "answers": answers });
    let (status, problem) = ask(&site, "POST", "/agents/Payer/answers", ADA, &body).await;
    assert!(status == 422 && problem["detail"].as_str().unwrap().contains("`session`"), "{problem}");
    // The state of the session is as good as that of the run.
    let body = json!({ "state": session["waiting"]["state"], "answers": answers, "session": "bills" });
    let (status, next) = ask(&site, "POST", "/agents/Payer/answers", ADA, &body).await;
    assert_eq!((status, next["questions"].as_array().unwrap().len()), (200, 1), "{next}");
    let (_, session) = ask(&site, "GET", "/agents/Payer/sessions/bills", ADA, &Value::Null).await;
    assert_eq!(session["waiting"]["questions"], next["questions"], "{session}");
    let body = json!({ "state": run["state"], "answers": answers, "session": "bills" });
    assert_ne!(ask(&site, "POST", "/agents/Payer/answers", ADA, &body).await.0, 200, "it was answered");
    assert_eq!(site.ledger.paid.load(Ordering::SeqCst), 10);
}

#[tokio::test]
async fn o6_what_calls_get_and_give_is_of_the_inside() {
    let turns = [ScriptedTurn::call("break_it", json!({ "key": "sesame" })), ScriptedTurn::say("Done.")];
    let builder = Breaker::builder().model(ScriptedModel::turns(turns));
    let breaker = builder.session_store(Arc::new(MemorySessions::default())).build().await.unwrap();
    let server = Server::builder("desk", "1").agent(&breaker).build().await.unwrap();
    let site = Site::with(&server, Arc::default(), Http::api).await;
    let body = json!({ "input": "Go.", "session": "s" }).to_string();
    let (_, events) =
        site.answer(&request("POST", "/agents/Breaker/runs", "Accept: text/event-stream\r\n", &body)).await;
    assert!(events.contains("event: tool_finished") && events.contains("\"text\":\"Done.\""), "{events}");
    let (_, session) = ask(&site, "GET", "/agents/Breaker/sessions/s", "", &Value::Null).await;
    for secret in ["sesame", "the vault"] {
        assert!(!events.contains(secret) && !session.to_string().contains(secret), "{events} {session}");
    }
}

#[tokio::test]
async fn o6_the_document_describes_every_agent() {
    let site = site(tokens).await;
    assert_eq!(ask(&site, "GET", "/openapi.json", "", &Value::Null).await.0, 401);
    let (_, document) = ask(&site, "GET", "/openapi.json", ADA, &Value::Null).await;
    assert_eq!((&document["openapi"], &document["info"]["title"]), (&json!("3.1.0"), &json!("desk")));
    let (_, listed) = ask(&site, "GET", "/agents", ADA, &Value::Null).await;
    for agent in listed["agents"].as_array().unwrap() {
        let name = agent["name"].as_str().unwrap();
        assert!(document["paths"][format!("/agents/{name}/runs")]["post"].is_object(), "{name}: {document}");
    }
    assert_eq!(listed["agents"].as_array().unwrap().len(), 4);
    let scale = &document["components"]["schemas"]["ScaleInput"];
    assert!(scale.to_string().contains("The weight in grams."), "{scale}");
    assert!(document["components"]["securitySchemes"]["token"].is_object());
    let grams = &document["components"]["schemas"]["ScaleInput"]["properties"]["grams"];
    assert_eq!((&grams["minimum"], &grams["maximum"]), (&json!(0), &json!(u32::MAX)), "{grams}");
    let session = |agent: &str| &document["paths"][format!("/agents/{agent}/sessions/{{session}}")];
    assert!(session("Keeper").is_object() && session("Scale").is_null(), "only one has a store: {document}");
}

#[tokio::test]
async fn o6_the_checks_of_the_endpoint_apply_to_every_path() {
    let site = site(|http| tokens(http.origin("https://app.example.com"))).await;
    let evil = "GET /agents HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n";
    assert_eq!(site.answer(evil).await.0, 403);
    for path in ["/agents", "/openapi.json", "/nowhere", "/runs/1", "/agents/Keeper/sessions/s"] {
        let status = ask(&site, "GET", path, "", &Value::Null).await.0;
        assert_eq!(status, 401, "{path}");
    }
    let preflight = "OPTIONS /agents/Keeper/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: \
                     https://app.example.com\r\nAccess-Control-Request-Method: POST\r\n\r\n";
    let (status, answer) = site.answer(preflight).await;
    assert_eq!(
        (status, header(&answer, "access-control-allow-origin")),
        (204, Some("https://app.example.com"))
    );
}

#[tokio::test]
async fn o6_a_failed_run_says_nothing_of_the_inside() {
    let turns = || [ScriptedTurn::fail(418), ScriptedTurn::fail(418)];
    let broken = Keeper::builder().model(ScriptedModel::turns(turns())).build().await.unwrap();
    let inside = broken.run("Go.").await.unwrap_err().to_string();
    let server = Server::builder("desk", "1").agent(&broken).build().await.unwrap();
    let site = Site::with(&server, Arc::default(), Http::api).await;
    let (status, problem) = post(&site, "/agents/Keeper/runs", &json!({ "input": "Go." })).await;
    assert_eq!(status, 500, "{problem}");
    assert!(!problem.to_string().contains(&inside), "{problem}");
    let body = json!({ "input": "Go." }).to_string();
    let (_, answer) =
        site.answer(&request("POST", "/agents/Keeper/runs", "Accept: text/event-stream\r\n", &body)).await;
    assert!(answer.contains("event: problem") && !answer.contains(&inside), "{answer}");
}
