//! Servers that ask a person on the stream of their session, which says nothing of the call that they ask for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use onionskin::question::Answer;
use serde_json::{Value, json};

use crate::asking::{Answers, agent, form, texts};
use crate::server::{Reply, Request, Server, earlier, said};

/// A server that asks once, when the requests are such. Each call gives back what it was answered.
async fn asks_on_the_session(when: fn(&[Request]) -> bool) -> Server {
    let has_stream = AtomicBool::new(false);
    Server::start(move |request| {
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
            let answer = requests.iter().find(|request| request.asks().is_empty() && request.body["id"] == "q")?;
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
