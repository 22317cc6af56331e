//! Servers that ask a person on the stream of their session, which says nothing of the call that they ask for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use onionskin::declaration::AgentDeclaration;
use onionskin::mcp::ServerConfig;
use onionskin::question::{Answer, Question};
use onionskin::run::AgentRun;
use onionskin::{Agent, RunError, ScriptedModel};
use serde_json::{Value, json};

use crate::asking::{Answers, agent, form, texts};
use crate::server::{Reply, Request, Server, earlier, said};

/// A server that asks once, when the requests are such. Each call gives back what it was answered.
async fn asks_on_the_session(when: fn(&[Request]) -> bool) -> Server {
    asks(when, |_| None).await
}

/// The same, with other answers to some requests.
async fn asks(
    when: fn(&[Request]) -> bool,
    other: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
) -> Server {
    let has_stream = AtomicBool::new(false);
    Server::start(move |request| {
        if let Some(other) = other(request) {
            return other;
        }
        if request.method == "GET" && !has_stream.swap(true, Ordering::Relaxed) {
            let ask =
                json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": form("Who?") });
            return Reply::stream("").then_event(move |requests| when(requests).then(|| ask.clone()));
        }
        if request.asks() != "tools/call" {
            return earlier(request);
        }
        let call = request.clone();
        Reply::stream("").then_event(move |requests| {
            let answer =
                requests.iter().find(|request| request.asks().is_empty() && request.body["id"] == "q")?;
            Some(said(&call, &answer.body.to_string()))
        })
    })
    .await
}

fn calls(requests: &[Request]) -> usize {
    requests.iter().filter(|request| request.asks() == "tools/call").count()
}

const NAMES: Answers = |_| Answer::value(json!({ "name": "Ada" })).ok();

fn is_refused(text: &str) {
    let answer: Value = serde_json::from_str(text).unwrap();
    assert_eq!(answer["error"]["message"], "it is not clear to which call of a tool the question belongs");
}

#[tokio::test]
async fn a4_a_question_on_the_stream_of_a_session_belongs_to_the_only_open_call() {
    let server = asks_on_the_session(|requests| calls(requests) == 1).await;
    let agent = agent(&server, [("read", "x")], Some(NAMES)).await;
    let answer: Value = serde_json::from_str(&texts(&agent).await[0]).unwrap();
    assert_eq!(answer["result"], json!({ "action": "accept", "content": { "name": "Ada" } }));
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_question_on_the_stream_of_a_session_with_two_open_calls_reaches_nobody() {
    let server = asks_on_the_session(|requests| calls(requests) == 2).await;
    let agent = agent(&server, [("read", "x"), ("read", "y")], Some(|_| panic!("nobody is asked"))).await;
    for text in texts(&agent).await {
        is_refused(&text);
    }
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_question_after_a_call_was_given_up_reaches_nobody() {
    let server = asks_on_the_session(|requests| {
        calls(requests) == 2 && requests.iter().any(|request| request.asks() == "notifications/cancelled")
    })
    .await;
    let agent = agent(&server, [("read", "x")], Some(|_| panic!("nobody is asked"))).await;
    let is_called = async {
        while server.calls("read") == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        output = agent.run("Go.") => panic!("{output:?}"),
        () = is_called => {}
    }
    is_refused(&texts(&agent).await[0]);
    agent.shutdown().await;
}

/// An agent that calls a tool and reads a resource at the same time.
struct Both;

impl Agent for Both {
    const NAME: &'static str = "both";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("web", None).server_resources("web", &["*"])
    }

    async fn run(run: &AgentRun, _: String) -> Result<String, RunError> {
        let read = run.call_tool("web__read_resource", r#"{"uri": "a:b"}"#);
        let (called, _) = tokio::join!(run.call_tool("web__read", "{}"), read);
        Ok(called.unwrap().to_text().into_owned())
    }
}

/// A server of the protocol of 2025 that also has resources.
pub(crate) fn with_resources(request: &Request) -> Reply {
    match request.asks() {
        "initialize" => {
            let reply = String::from_utf8(earlier(request).into_bytes()).unwrap();
            let body =
                reply.split_once("\r\n\r\n").unwrap().1.replace(r#""tools":"#, r#""resources":{},"tools":"#);
            Reply::text(200, "content-type: application/json\r\nmcp-session-id: s-1\r\n", &body)
        }
        _ => earlier(request),
    }
}

#[tokio::test]
async fn a4_a_question_that_may_be_for_a_resource_reaches_no_call() {
    let is_open = |requests: &[Request]| {
        calls(requests) == 1 && requests.iter().any(|request| request.asks() == "resources/read")
    };
    let server = asks(is_open, |request| match request.asks() {
        "resources/read" => Some(Reply::stream("").stalling()),
        "initialize" => Some(with_resources(request)),
        _ => None,
    })
    .await;
    let config = ServerConfig::http(server.url()).asks().timeout(Duration::from_secs(2));
    let builder = Both::builder().model(ScriptedModel::new()).server("web", config);
    let agent = builder.answerer(|_: Question| async { panic!("nobody is asked") }).build().await.unwrap();
    is_refused(&agent.run("Go.").await.unwrap().text);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_call_that_was_given_up_counts_as_open_also_after_a_question() {
    let when = |requests: &[Request]| {
        calls(requests) == 2 && requests.iter().any(|request| request.asks() == "notifications/cancelled")
    };
    let is_first = AtomicBool::new(true);
    let server = asks(when, move |request| {
        if request.asks() != "tools/call" || !is_first.swap(false, Ordering::Relaxed) {
            return None;
        }
        let form = form("First?");
        let ask = json!({ "jsonrpc": "2.0", "id": "first", "method": "elicitation/create", "params": form });
        Some(Reply::events([ask.to_string()]).stalling())
    })
    .await;
    let answer: Answers = |question| {
        assert!(question.text().unwrap().ends_with("First?"), "{question:?}");
        Answer::value(json!({ "name": "Ada" })).ok()
    };
    let agent = agent(&server, [("read", "x")], Some(answer)).await;
    let is_answered = async {
        while !server.requests().iter().any(|request| request.body["id"] == "first") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // The connection learns of the answer before the server does.
    };
    tokio::select! {
        output = agent.run("Go.") => panic!("{output:?}"),
        () = is_answered => {}
    }
    is_refused(&texts(&agent).await[0]);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_call_that_the_server_refused_does_not_count_as_open() {
    let is_first = AtomicBool::new(true);
    let server = asks(
        |requests| calls(requests) == 2,
        move |request| {
            let is_refused = request.asks() == "tools/call" && is_first.swap(false, Ordering::Relaxed);
            is_refused.then(|| Reply::text(429, "", ""))
        },
    )
    .await;
    let agent = agent(&server, [("write", "x")], Some(NAMES)).await;
    assert!(texts(&agent).await[0].contains("status 429"));
    let answer: Value = serde_json::from_str(&texts(&agent).await[0]).unwrap();
    assert_eq!(answer["result"]["action"], "accept");
    agent.shutdown().await;
}
