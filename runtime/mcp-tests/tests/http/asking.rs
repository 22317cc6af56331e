//! Servers by address that ask a person while a call runs: on the stream of the call, or with the result of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use onionskin::content::ContentBlock;
use onionskin::mcp::ServerConfig;
use onionskin::question::{Answer, Paused, Question};
use onionskin::{AgentHandle, RunError, ScriptedModel, ScriptedTurn, agent};
use serde_json::{Value, json};

use crate::server::{Reply, Request, Server, current, earlier, error, result, said};

agent! {
    Asker {
        instruction: "Call.",
        servers: [web],
    }
}

/// What a person answers.
pub(crate) type Answers = fn(&Question) -> Option<Answer>;

pub(crate) fn form(message: &str) -> Value {
    let fields = json!({ "name": { "type": "string" } });
    json!({ "message": message, "requestedSchema": { "type": "object", "properties": fields, "required": ["name"] } })
}

/// An agent whose model makes these calls, each of a tool with a name as argument.
pub(crate) async fn agent<'c>(
    server: &Server,
    calls: impl IntoIterator<Item = (&'c str, &'c str)>,
    answer: Option<Answers>,
) -> AgentHandle {
    let none = ScriptedTurn::default();
    let calls = calls
        .into_iter()
        .fold(none, |turn, (tool, who)| turn.and_call(format!("web__{tool}"), json!({ "who": who })));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
    let builder = Asker::builder().model(model).server("web", ServerConfig::http(server.url()).asks());
    let builder = match answer {
        Some(answer) => builder.answerer(move |question: Question| async move { answer(&question) }),
        None => builder,
    };
    builder.build().await.unwrap()
}

/// The texts that the calls of a run gave.
pub(crate) async fn texts(agent: &AgentHandle) -> Vec<String> {
    let output = agent.run("Go.").await.unwrap();
    output.tool_calls.iter().map(|call| ContentBlock::join(&call.content).into_owned()).collect()
}

fn who(request: &Request) -> String {
    request.body["params"]["arguments"]["who"].as_str().unwrap_or_default().to_owned()
}

/// A server of the protocol of 2025 that asks on the stream of each call, and gives back the answer.
fn asks_on_the_stream(request: &Request) -> Reply {
    if request.asks() != "tools/call" {
        return earlier(request);
    }
    let (who, call) = (who(request), request.clone());
    let id = format!("{who} {}", request.body["id"]);
    let form = form(&format!("Who is {who}?"));
    let ask = json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": form });
    Reply::events([ask.to_string()]).then_event(move |requests| {
        let answer =
            requests.iter().find(|request| request.asks().is_empty() && request.body["id"] == *id)?;
        Some(said(&call, &answer.body["result"].to_string()))
    })
}

#[tokio::test]
async fn a4_a_question_on_the_stream_of_a_call_belongs_to_that_call() {
    let server = Server::start(asks_on_the_stream).await;
    let answer = |question: &Question| {
        let who = question.arguments()["who"].as_str().unwrap();
        assert_eq!(question.text(), Some(&*format!("the MCP server `web` asks: Who is {who}?")));
        Answer::value(json!({ "name": who.to_uppercase() })).ok()
    };
    // Calls of a tool that only reads are made side by side.
    let agent = agent(&server, [("read", "ada"), ("read", "bob"), ("read", "cleo")], Some(answer)).await;
    let texts = texts(&agent).await;
    for (text, name) in texts.iter().zip(["ADA", "BOB", "CLEO"]) {
        assert_eq!(
            serde_json::from_str::<Value>(text).unwrap(),
            json!({ "action": "accept", "content": { "name": name } })
        );
    }
    let requests = server.requests();
    let replies = requests.iter().filter(|request| request.body["result"]["action"] == "accept");
    assert!(
        replies.clone().count() == 3 && replies.clone().all(|reply| reply.headers["mcp-session-id"] == "s-1")
    );
    let handshake = requests.iter().find(|request| request.asks() == "initialize").unwrap();
    assert_eq!(handshake.body["params"]["capabilities"], json!({ "elicitation": { "form": {}, "url": {} } }));
    agent.shutdown().await;
}

#[tokio::test]
async fn u3_a_question_on_a_stream_pauses_a_call_that_may_be_repeated() {
    let server = Server::start(asks_on_the_stream).await;
    let agent = agent(&server, [("read", "ada")], None).await;
    let paused = paused(&agent).await;
    let answer = Answer::value(json!({ "name": "Ada" })).unwrap();
    let output = agent.resume(&paused).answer(paused.questions()[0].key(), answer).run().await.unwrap();
    assert!(output.text.contains("\"Ada\""), "{}", output.text);
    assert_eq!(server.calls("read"), 2);
    agent.shutdown().await;
}

/// The paused run, stored and read again.
async fn paused(agent: &AgentHandle) -> Paused {
    match agent.run("Go.").await {
        Err(RunError::Paused(paused)) => {
            serde_json::from_str(&serde_json::to_string(&paused).unwrap()).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

fn required(request: &Request, requests: &Value, state: Option<&str>) -> Reply {
    let mut required = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        required["requestState"] = state.into();
    }
    Reply::json(200, &result(request, &required))
}

/// A server of the protocol of 2026 that asks for two names, one after the other, then says what it got.
fn asks_with_results(request: &Request) -> Reply {
    if request.asks() != "tools/call" {
        return current(request);
    }
    let params = &request.body["params"];
    let ask = |message: &str| json!({ "n": { "method": "elicitation/create", "params": form(message) } });
    match params["requestState"].as_str() {
        None => required(request, &ask("First?"), Some("state-1")),
        Some("state-1") => {
            let first = params["inputResponses"]["n"]["content"]["name"].as_str().unwrap_or("nobody");
            required(request, &ask("Second?"), Some(&format!("state-2 {first}")))
        }
        // It needs nothing more than time.
        Some(state) if state.starts_with("state-2") => {
            required(request, &json!({}), Some(&format!("{state} {}", params["inputResponses"])))
        }
        Some(state) => Reply::json(200, &said(request, state)),
    }
}

#[tokio::test]
async fn a4_a_call_whose_result_asks_for_input_is_made_again_with_the_answers() {
    let server = Server::start(|request: &Request| match request.body["params"]["requestState"].as_str() {
        Some(state) if state.starts_with("state-2") && state.contains('{') => {
            Reply::json(200, &said(request, state))
        }
        _ => asks_with_results(request),
    })
    .await;
    let answer = |question: &Question| {
        let name = if question.text().unwrap().ends_with("First?") { "Ada" } else { "Bob" };
        Answer::value(json!({ "name": name })).ok()
    };
    let agent = agent(&server, [("write", "x")], Some(answer)).await;
    let expected = r#"state-2 Ada {"n":{"action":"accept","content":{"name":"Bob"}}}"#;
    assert_eq!(texts(&agent).await, [expected]);
    assert_eq!(server.calls("write"), 4);
    let requests = server.requests();
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    assert!(requests.iter().filter(|request| request.asks() == "tools/call").all(|call| {
        call.body["params"]["_meta"][capabilities]["elicitation"] == json!({ "form": {}, "url": {} })
            && call.body["params"]["arguments"] == json!({ "who": "x" })
    }));
    agent.shutdown().await;
}

#[tokio::test]
async fn u3_the_state_of_a_server_is_kept_with_the_question_of_a_paused_run() {
    let server = Server::start(|request: &Request| match request.body["params"]["requestState"].as_str() {
        Some(state) if state.starts_with("state-2") => {
            Reply::json(200, &said(request, &format!("{state} {}", request.body["params"]["inputResponses"])))
        }
        _ => asks_with_results(request),
    })
    .await;
    // A call of it takes effect once, and yet the run can pause: no request is repeated.
    let agent = agent(&server, [("write", "x"), ("write", "y")], None).await;
    let first = paused(&agent).await;
    assert_eq!(first.questions().len(), 2, "a call that waits for a person delays no other one");
    assert_eq!(server.calls("write"), 2);
    let resume = |paused: &Paused, name: &str| {
        let answer = |question: &Question| {
            (question.key().to_owned(), Answer::value(json!({ "name": name })).unwrap())
        };
        let answers: Vec<_> = paused.questions().iter().map(answer).collect();
        answers.into_iter().fold(agent.resume(paused), |resumed, (key, answer)| resumed.answer(key, answer))
    };
    let Err(RunError::Paused(second)) = resume(&first, "Ada").run().await else { panic!("it asks again") };
    assert!(second.questions().iter().all(|question| question.text().unwrap().ends_with("Second?")));
    let output = resume(&second, "Bob").run().await.unwrap();
    let texts: Vec<_> =
        output.tool_calls.iter().map(|call| ContentBlock::join(&call.content).into_owned()).collect();
    let expected = r#"state-2 Ada {"n":{"action":"accept","content":{"name":"Bob"}}}"#;
    assert_eq!(texts, [expected, expected]);
    assert_eq!(server.calls("write"), 6);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_result_that_asks_for_folders_gets_those_of_the_configuration() {
    let server = Server::start(|request: &Request| match request.asks() {
        "tools/call" if request.body["params"]["inputResponses"].is_null() => {
            required(request, &json!({ "f": { "method": "roots/list" } }), None)
        }
        "tools/call" => {
            Reply::json(200, &said(request, &request.body["params"]["inputResponses"].to_string()))
        }
        _ => current(request),
    })
    .await;
    let config = ServerConfig::http(server.url()).roots(["/srv/b"]);
    let web = onionskin::mcp::McpServer::start("web", config).await.unwrap();
    let text = crate::sessions::called(&web, "write").await.unwrap();
    let expected = json!({ "f": { "roots": [{ "uri": "file:///srv/b", "name": "b" }] } });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
}

#[tokio::test]
async fn a4_results_that_ask_for_what_they_do_not_get_are_errors() {
    let ask = |method: &str, params: Value| json!({ "n": { "method": method, "params": params } });
    let many: serde_json::Map<_, _> = (0..11)
        .map(|number| (format!("n{number}"), json!({ "method": "elicitation/create", "params": form("?") })))
        .collect();
    let address = json!({ "mode": "url", "message": "", "url": "file:///etc/passwd" });
    for (requests, expected) in [
        (
            ask("sampling/createMessage", json!({})),
            "asks for what it does not get: this client lends its model to no server",
        ),
        (ask("roots/list", json!({})), "this client names no folders"),
        (ask("elicitation/create", address), "its `url` does not begin with"),
        (Value::Object(many), "asked for input again and again"),
        (json!([1]), "asks for input in a way that cannot be read"),
        (ask("elicitation/create", form("Always?")), "asked for input again and again"),
        (json!({}), "asked for input again and again"),
    ] {
        let requests = Arc::new(requests);
        let server = Server::start(move |request| match request.asks() {
            "tools/call" => required(request, &requests, Some("s")),
            _ => current(request),
        })
        .await;
        let agent =
            agent(&server, [("write", "x")], Some(|_| Answer::value(json!({ "name": "a" })).ok())).await;
        let texts = texts(&agent).await;
        assert!(texts[0].contains(expected), "{expected}: {texts:?}");
        assert!(server.calls("write") <= 11, "{expected}");
        agent.shutdown().await;
    }
}

/// A server that makes a call only after an address was opened.
fn asks_with_an_error(request: &Request, calls: &AtomicUsize) -> Reply {
    if request.asks() != "tools/call" {
        return earlier(request);
    }
    if calls.fetch_add(1, Ordering::Relaxed) > 0 {
        return Reply::json(200, &said(request, "done"));
    }
    let address = json!({ "mode": "url", "message": "Log in.", "url": "https://login.example.com/", "elicitationId": "e" });
    let mut refusal = error(request, -32042, "log in first");
    refusal["error"]["data"] = json!({ "elicitations": [address] });
    Reply::json(200, &refusal)
}

#[tokio::test]
async fn a4_a_call_that_needs_an_opened_address_is_made_again_when_the_person_opened_it() {
    let answers: [(Answers, _, _); 2] = [
        (|_| Answer::value(true).ok(), "done", 2),
        (|_| Answer::value(false).ok(), "the MCP server `web` refused the call: log in first", 1),
    ];
    for (answer, expected, calls) in answers {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let server = Server::start(move |request| asks_with_an_error(request, &counted)).await;
        let agent = agent(&server, [("write", "x")], Some(answer)).await;
        assert_eq!(texts(&agent).await, [expected]);
        assert_eq!(count.load(Ordering::Relaxed), calls);
        agent.shutdown().await;
    }
}

#[tokio::test]
async fn a4_a_result_that_asks_for_input_is_an_error_if_the_server_may_not_ask() {
    let server = Server::start(asks_with_results).await;
    let web = onionskin::mcp::McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
    let error = crate::sessions::called(&web, "write").await.unwrap_err().to_string();
    assert!(
        error.contains("asks for a person's input before it continues")
            && error.contains("`ServerConfig::asks`"),
        "{error}"
    );
    // Without a run there is nobody to ask.
    let config = ServerConfig::http(server.url()).asks();
    let web = onionskin::mcp::McpServer::start("web", config).await.unwrap();
    let error = crate::sessions::called(&web, "write").await.unwrap_err().to_string();
    assert!(error.contains("has no answer") && error.contains("the call belongs to no run"), "{error}");
    assert_eq!(server.calls("write"), 2);
}

#[tokio::test]
async fn a4_an_answer_of_a_person_is_sent_again_if_the_server_fails_to_take_it() {
    let replies = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&replies);
    let server = Server::start(move |request| {
        let is_reply = request.asks().is_empty() && !request.body["result"].is_null();
        if is_reply && counted.fetch_add(1, Ordering::Relaxed) == 0 {
            return Reply::text(503, "", "");
        }
        if request.asks() != "tools/call" {
            return earlier(request);
        }
        let (replies, call) = (Arc::clone(&counted), request.clone());
        let form = form("Who?");
        let ask = json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": form });
        Reply::events([ask.to_string()]).then_event(move |requests| {
            let answer =
                requests.iter().rfind(|request| request.asks().is_empty() && request.body["id"] == "q")?;
            (replies.load(Ordering::Relaxed) == 2).then(|| said(&call, &answer.body["result"].to_string()))
        })
    })
    .await;
    let agent =
        agent(&server, [("write", "x")], Some(|_| Answer::value(json!({ "name": "Ada" })).ok())).await;
    assert_eq!(texts(&agent).await, [r#"{"action":"accept","content":{"name":"Ada"}}"#]);
    agent.shutdown().await;
}
