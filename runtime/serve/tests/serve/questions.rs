//! Questions and approvals of calls, which the client answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use onionskin::question::{AskError, SealKey};
use onionskin::serve::Server;
use onionskin::{ToolContext, tool};
use serde_json::{Value, json};

use crate::desk::{Ledger, builder, payer, server};
use crate::lines::{Lines, call, texts};

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// The state in an answer that asks.
fn state(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].as_str().unwrap().to_owned()
}

/// The name of the only question.
fn only_key(answer: &Value) -> String {
    let requests = answer["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 1, "{answer}");
    requests.keys().next().unwrap().clone()
}

fn again(tool: &str, arguments: Value, key: &str, response: Value, state: &str) -> Value {
    let mut params = call(tool, arguments);
    params["inputResponses"] = json!({ key: response });
    params["requestState"] = state.into();
    params
}

#[tokio::test]
async fn u3_a_client_is_asked_by_a_request_or_by_a_result() {
    let (server, _) = server().await;
    let mut old = Lines::initialized(&server, json!({ "elicitation": {} })).await;
    let id = old.send("tools/call", call("order", json!({ "model": "Runner" }))).await;
    let asked = old.read().await;
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(asked["params"]["message"], "Which size of Runner?");
    assert_eq!(asked["params"]["requestedSchema"]["properties"]["answer"]["type"], "integer");
    let response = accept(json!({ "answer": 41 }));
    old.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": response })).await;
    assert_eq!(texts(&old.answer(id).await), ["Runner in 41"]);

    let mut new = Lines::connect(&server);
    let arguments = json!({ "model": "Runner" });
    let asks = new.request_new("tools/call", call("order", arguments.clone())).await;
    let request = &asks["result"]["inputRequests"]["size"];
    assert_eq!(
        (&request["method"], &request["params"]["message"]),
        (&json!("elicitation/create"), &json!("Which size of Runner?"))
    );
    let state = state(&asks);
    let params = again("order", arguments, "size", accept(json!({ "answer": 41 })), &state);
    assert_eq!(texts(&new.request_new("tools/call", params).await), ["Runner in 41"]);
}

#[tokio::test]
async fn u3_a_declined_question_is_an_error_of_the_tool() {
    let (server, _) = server().await;
    let mut client = Lines::connect(&server);
    let arguments = json!({ "model": "Runner" });
    let asks = client.request_new("tools/call", call("order", arguments.clone())).await;
    let params = again("order", arguments, "size", json!({ "action": "decline" }), &state(&asks));
    let answer = client.request_new("tools/call", params).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(texts(&answer)[0].contains("declined"), "{answer}");
}

#[tokio::test]
async fn u3_an_answer_that_does_not_fit_is_asked_for_again() {
    let (server, _) = server().await;
    let mut client = Lines::connect(&server);
    let arguments = json!({ "model": "Runner" });
    let asks = client.request_new("tools/call", call("order", arguments.clone())).await;
    let wrong =
        again("order", arguments.clone(), "size", accept(json!({ "answer": "large" })), &state(&asks));
    let asks = client.request_new("tools/call", wrong).await;
    let message = asks["result"]["inputRequests"]["size"]["params"]["message"].as_str().unwrap();
    let (question, problem) = message.split_once('\n').unwrap();
    assert_eq!(question, "Which size of Runner?");
    assert!(problem.contains("integer"), "{message}");
    let right = again("order", arguments, "size", accept(json!({ "answer": 40 })), &state(&asks));
    assert_eq!(texts(&client.request_new("tools/call", right).await), ["Runner in 40"]);
}

/// A wish.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Wish {
    colour: Option<String>,
}

/// Takes a wish.
#[tool(asks)]
async fn wish(cx: &ToolContext) -> Result<String, AskError> {
    let wish: Wish = cx.ask_as("wish", "Any wishes?").await?;
    Ok(format!("{:?}", wish.colour))
}

#[tokio::test]
async fn u3_a_form_without_required_fields_is_accepted_without_content() {
    let server = Server::builder("desk", "1.2.3").tool(wish::spec()).build().await.unwrap();
    let mut client = Lines::initialized(&server, json!({ "elicitation": {} })).await;
    let id = client.send("tools/call", call("wish", json!({}))).await;
    let asked = client.read().await;
    client.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "accept" } })).await;
    assert_eq!(texts(&client.answer(id).await), ["None"]);
}

#[tokio::test]
async fn u3_a_call_without_an_answer_says_why() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({ "elicitation": {} })).await;
    let id = client.send("tools/call", call("order", json!({ "model": "Runner" }))).await;
    let asked = client.read().await;
    let error = json!({ "code": -32000, "message": "the window is closed" });
    client.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
    let failed = client.answer(id).await;
    assert!(texts(&failed)[0].contains("with an error: the window is closed"), "{failed}");
}

#[tokio::test]
async fn u2_a_client_approves_a_call_with_its_arguments() {
    let (server, ledger) = server().await;
    let mut client = Lines::connect(&server);
    let asks = client.request_new("tools/call", call("pay", json!({ "cents": 500 }))).await;
    let message =
        asks["result"]["inputRequests"].as_object().unwrap().values().next().unwrap()["params"]["message"]
            .clone();
    assert!(message.as_str().unwrap().contains("500"), "{asks}");
    let key = only_key(&asks);
    let denied = accept(json!({ "decision": "deny", "reason": "too much" }));
    let params = again("pay", json!({ "cents": 500 }), &key, denied, &state(&asks));
    let answer = client.request_new("tools/call", params).await;
    assert!(texts(&answer)[0].contains("too much"), "{answer}");
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 0);

    let asks = client.request_new("tools/call", call("pay", json!({ "cents": 5 }))).await;
    let key = only_key(&asks);
    let allowed = accept(json!({ "decision": "allow" }));
    let params = again("pay", json!({ "cents": 5 }), &key, allowed, &state(&asks));
    assert_eq!(texts(&client.request_new("tools/call", params).await), ["paid 5, 5 in all"]);
}

#[tokio::test]
async fn u3_a_client_that_cannot_ask_gets_an_error_and_nothing_runs() {
    let (server, ledger) = server().await;
    let mut old = Lines::initialized(&server, json!({})).await;
    let answer = old.request("tools/call", call("pay", json!({ "cents": 5 }))).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(texts(&answer)[0].contains("cannot ask"), "{answer}");
    let mut new = Lines::connect(&server);
    new.capabilities = json!({});
    let answer = new.request_new("tools/call", call("pay", json!({ "cents": 5 }))).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert!(answer["error"]["data"]["requiredCapabilities"]["elicitation"].is_object(), "{answer}");
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn o2_a_forged_expired_or_used_state_is_refused() {
    let (server, ledger) = server().await;
    let mut client = Lines::connect(&server);
    let arguments = json!({ "cents": 5 });
    let asks = client.request_new("tools/call", call("pay", arguments.clone())).await;
    let (key, sealed) = (only_key(&asks), state(&asks));
    let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
    assert!(!bytes.windows(9).any(|part| part == b"questions"), "the client can read the state");
    let allowed = || accept(json!({ "decision": "allow" }));
    let mut changed = sealed.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).unwrap();
    for forged in [changed.as_str(), "", "AAAA", &format!("{sealed}AAAA"), &sealed[4..]] {
        let params = again("pay", arguments.clone(), &key, allowed(), forged);
        assert_eq!(client.request_new("tools/call", params).await["error"]["code"], -32602, "{forged}");
    }
    let other_arguments = again("pay", json!({ "cents": 500 }), &key, allowed(), &sealed);
    assert_eq!(client.request_new("tools/call", other_arguments).await["error"]["code"], -32602);
    let other_tool = again("order", arguments.clone(), &key, allowed(), &sealed);
    assert_eq!(client.request_new("tools/call", other_tool).await["error"]["code"], -32602);
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 0);

    let params = again("pay", arguments, &key, allowed(), &sealed);
    assert_eq!(texts(&client.request_new("tools/call", params.clone()).await), ["paid 5, 5 in all"]);
    let used = client.request_new("tools/call", params).await;
    assert_eq!(used["error"]["code"], -32602);
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn o2_another_process_with_the_same_key_takes_the_answer() {
    let key = || SealKey::new([7; 32]).unwrap();
    let (first, second): (Arc<Ledger>, Arc<Ledger>) = Default::default();
    let one = builder(&first).await.key(key()).build().await.unwrap();
    let two = builder(&second).await.key(key()).build().await.unwrap();
    let arguments = json!({ "model": "Runner" });
    let asks = Lines::connect(&one).request_new("tools/call", call("order", arguments.clone())).await;
    let params = again("order", arguments, "size", accept(json!({ "answer": 41 })), &state(&asks));
    assert_eq!(texts(&Lines::connect(&two).request_new("tools/call", params).await), ["Runner in 41"]);
}

#[tokio::test]
async fn u2_one_answer_is_for_one_question() {
    let ledger: Arc<Ledger> = Arc::default();
    let payer = payer(&ledger).await;
    let server = Server::builder("desk", "1.2.3").agent(&payer).build().await.unwrap();
    let mut client = Lines::connect(&server);
    let arguments = json!({ "input": "Pay twice." });
    let asks = client.request_new("tools/call", call("Payer", arguments.clone())).await;
    let requests = asks["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 2, "two calls with the same arguments are two questions: {asks}");
    let first = requests.keys().next().unwrap().clone();
    let allowed = || accept(json!({ "decision": "allow" }));
    let params = again("Payer", arguments.clone(), &first, allowed(), &state(&asks));
    let asks = client.request_new("tools/call", params).await;
    assert_eq!(
        asks["result"]["inputRequests"].as_object().unwrap().len(),
        1,
        "the other call was not approved: {asks}"
    );
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 5);
    let params = again("Payer", arguments.clone(), &only_key(&asks), allowed(), &state(&asks));
    let asks = client.request_new("tools/call", params).await;
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 10);
    let params = again("Payer", arguments, &only_key(&asks), allowed(), &state(&asks));
    assert_eq!(texts(&client.request_new("tools/call", params).await), ["Paid."]);
    assert_eq!(
        ledger.paid.load(Ordering::SeqCst),
        15,
        "a later call with the same arguments is asked for again"
    );
}

#[tokio::test]
async fn u2_no_approval_counts_that_nobody_was_asked_for() {
    let (server, ledger) = server().await;
    let mut client = Lines::connect(&server);
    let asks = client.request_new("tools/call", call("pay", json!({ "cents": 5 }))).await;
    let mut params = call("pay", json!({ "cents": 5 }));
    params["inputResponses"] = json!({ only_key(&asks): accept(json!({ "decision": "allow" })) });
    let asks = client.request_new("tools/call", params).await;
    assert_eq!(asks["result"]["resultType"], "input_required", "{asks}");
    assert_eq!(ledger.paid.load(Ordering::SeqCst), 0);
    let mut params = call("order", json!({ "model": "Runner" }));
    params["inputResponses"] = json!({ "size": accept(json!({ "answer": 41 })) });
    let named = client.request_new("tools/call", params).await;
    assert_eq!(texts(&named), ["Runner in 41"], "a question that the tool has named");
}
